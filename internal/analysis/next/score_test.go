package next

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Of another medium nobody knows how much faster it is: the predictions of the speed that it turns out to
// have are tested, and no others.
func TestPredictionsOfAnotherMedium(t *testing.T) {
	const media = "storage.v.media"
	for _, c := range []struct {
		faster         float64
		servers        int
		held, untested int
		says           string
	}{
		{4, 1, 1, 1, "the device became 3.99 times as fast, and the prediction is about 2"},
		{2, 1, 1, 1, "and the prediction is about 4"},
		{30, 1, 0, 2, "times as fast, and the prediction is about 4"},
		{2, 4, 0, 2, "the device serves 4 requests in parallel instead of 1"},
	} {
		hinted := func(run *result.Run) *result.Run {
			for _, t := range run.Trials {
				t.Storage().Hints = []describe.Hint{{Resource: "device", Parameter: "media", From: "slow", To: "fast"}}
			}
			return run
		}
		after := analysistest.OfDisk
		after.Faster = c.faster
		after.Stations = slices.Clone(after.Stations)
		after.Stations[1].Servers = c.servers
		run := hinted(analysistest.AtRate(analysistest.OfDisk, 1, "", ""))
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Confirmed(run.Plan, a, func(int) (*result.Run, error) {
			return hinted(analysistest.Experiment(media, "slow", "fast", analysistest.OfDisk, after)), nil
		})
		if err != nil || a.Score == nil || a.Score.Held != c.held || a.Score.Missed != 0 || a.Score.Untested != c.untested {
			t.Errorf("%v times as fast: %+v, %v", c.faster, a.Score, err)
			continue
		}
		if text := a.Score.Predictions[0].Text + a.Score.Predictions[1].Text; !strings.Contains(text, c.says) {
			t.Errorf("%v times as fast: %q is not said: %s", c.faster, c.says, text)
		}
	}
}

// A prediction counts where an experiment made the change that it is about, and nothing else. Truth is
// known: all is solved by exact mean-value analysis.
func TestPredictionsAreScored(t *testing.T) {
	const rate = "storage.v.write_rate"
	faster := func(by float64) analysistest.Timed {
		l := analysistest.OfDisk
		l.Faster = by
		return l
	}
	// slower has a CPU that nothing predicted: the disk is twice as fast, and the rest is not as it was.
	slower := faster(2)
	slower.Stations = []analysistest.TimedStation{analysistest.OfDisk.Stations[0], analysistest.OfDisk.Stations[1], {Demand: 0.05, Servers: 64}}
	otherwise := analysistest.OfDisk
	otherwise.Busy = 0.6
	failed := analysistest.Experiment(rate, "100MB/s", "200MB/s", analysistest.OfDisk, faster(2))
	for _, one := range failed.Trials {
		if one.Variant.Name == "changed" {
			one.Status, one.Failure, one.Operations = result.Failed, &result.Failure{Stage: "drive", Cause: "the server ended"}, nil
		}
	}
	for _, c := range []struct {
		name                   string
		run                    *result.Run
		err                    error
		held, missed, untested int
		says                   string
	}{
		{"twice as fast", analysistest.Experiment(rate, "100MB/s", "200MB/s", analysistest.OfDisk, faster(2)), nil, 1, 0, 0, "1 of 1 tested prediction held."},
		{"twice as fast, and something takes longer that was not known", analysistest.Experiment(rate, "100MB/s", "200MB/s", analysistest.OfDisk, slower), nil, 0, 1, 0, "0 of 1 tested prediction held."},
		{"hardly faster", analysistest.Experiment(rate, "100MB/s", "200MB/s", analysistest.OfDisk, faster(1.1)), nil, 0, 0, 1, "the device became 1.1 times as fast, and the prediction is about 2"},
		{"four times as fast", analysistest.Experiment(rate, "100MB/s", "200MB/s", analysistest.OfDisk, faster(4)), nil, 0, 0, 1, "the device became 3.99 times as fast"},
		{"another level", analysistest.Experiment(rate, "100MB/s", "400MB/s", analysistest.OfDisk, faster(2)), nil, 0, 0, 1, "at 100MB/s and at 200MB/s"},
		{"another setting", analysistest.Experiment("engine.memory", "1GiB", "2GiB", analysistest.OfDisk, faster(2)), nil, 0, 0, 1, "does not change storage.v.write_rate of v alone"},
		{"under other conditions", analysistest.Experiment(rate, "100MB/s", "200MB/s", otherwise, faster(2)), nil, 0, 0, 1, "something else changed, too"},
		{"work failed", failed, nil, 0, 0, 1, "measured none of the rungs"},
		{"it cannot be read", nil, errors.New("the plan is damaged"), 0, 0, 1, "It was not tested: the plan is damaged."},
		{"it was not made", nil, fmt.Errorf("open: %w", fs.ErrNotExist), 0, 0, 0, ""},
	} {
		run := analysistest.AtRate(analysistest.OfDisk, 1, "", "")
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Confirmed(run.Plan, a, func(int) (*result.Run, error) { return c.run, c.err })
		s := a.Score
		if s == nil {
			s = &model.PredictionScore{}
		}
		if s.Held != c.held || s.Missed != c.missed || s.Untested != c.untested {
			t.Errorf("%s: %+v (%v)", c.name, s, err)
			continue
		}
		text := s.Text
		for _, p := range s.Predictions {
			text += " " + p.Text
			if p.Prediction.Metric != model.OfMean || !p.Prediction.Value.Bounded() || p.Outcome != model.Undecided && (p.Measured == nil || p.Ratio == nil) {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if !strings.Contains(text, c.says) {
			t.Errorf("%s: %q is not said: %s", c.name, c.says, text)
		}
	}
}
