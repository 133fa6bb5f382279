package say

import (
	"math"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// factorOff is by how much the speed of a device may be off the one that a prediction is about: as
// much as a queueing network may be off the measurements that it is fitted to.
const factorOff = 0.25

// negligible is by how much a figure may be off a prediction that holds, whatever its interval: the least
// change that a report calls one.
const negligible = 0.05

// Untested are the predictions of a finding whose experiment tests none of them.
func Untested(f model.Finding, v *model.Variant, run, reason string) []model.TestedPrediction {
	all := predictionsOf(f)
	for i := range all {
		all[i].Outcome, all[i].Reason, all[i].Run = model.Undecided, reason, run
		all[i].Text = testedText(all[i], v)
	}
	return all
}

// predictionsOf are the predictions of the change that a finding asks for.
func predictionsOf(f model.Finding) (all []model.TestedPrediction) {
	for _, p := range f.Change.Predictions {
		all = append(all, model.TestedPrediction{Variant: f.Variant, Rung: f.Change.Rungs[0], Path: f.Change.Path, From: f.Change.From, To: f.Change.To, Prediction: p})
	}
	return all
}

// testPredictions tests a finding's predictions by an experiment, given its variants without and with the
// change.
func testPredictions(f model.Finding, run string, from, to *model.Variant) []model.TestedPrediction {
	all := predictionsOf(f)
	for i := range all {
		p := &all[i]
		p.Run = run
		p.Outcome, p.Reason = test(p, rung.Find(from.Rungs, p.Rung), rung.Find(to.Rungs, p.Rung))
		p.Text = testedText(*p, to)
	}
	return all
}

// test says whether what was measured is what was predicted. It decides nothing where the experiment did
// not make the change that the prediction is about, or changed something else too, or leaves open whether
// anything changed.
//
// Needs: Conditions that the experiment does not meet.
func test(p *model.TestedPrediction, without, with *rung.Rung) (o model.Outcome, why string) {
	if without == nil || with == nil || without.Repetitions == 0 || with.Repetitions == 0 {
		return model.Undecided, F("the experiment did not measure it")
	}
	before, after := metricOf(p.Prediction.Metric, without), metricOf(p.Prediction.Metric, with)
	p.Measured = &after
	if was := p.Prediction.Without; was != nil && !alike(before, *was) {
		return model.Undecided, F("something else changed, too: without the change the experiment measured %s, and the run %s", metricText(*p, before.Value), metricText(*p, was.Value))
	}
	if why = otherThan(p.Prediction.Factor, without, with); why != "" {
		return model.Undecided, why
	}
	if !after.Bounded() {
		return model.Undecided, F("the repetitions of the experiment are too few, or too far apart, for an interval")
	}
	ratio := stats.Quotient(after, asInterval(p.Prediction.Value))
	p.Ratio = &ratio
	switch within := func(v float64) bool { return ratio.Low <= v && v <= ratio.High }; {
	case within(1) && within(before.Value/p.Prediction.Value.Value):
		return model.Undecided, F("the experiment leaves open whether the change did anything")
	case within(1), math.Abs(ratio.Value-1) < negligible:
		return model.Confirmed, ""
	}
	return model.Refuted, ""
}

// otherThan says what else became of the device than that it is so many times as fast; empty where that is
// what it became, or where nothing is asked.
func otherThan(factor int, without, with *rung.Rung) string {
	was, is := mostOfDevice(without), mostOfDevice(with)
	switch did := stats.Ratio(was.Demand, is.Demand); {
	case factor == 0:
	case did <= 0:
		return F("how fast the devices were was not measured")
	case was.Servers != is.Servers:
		return F("the device serves %s requests in parallel instead of %s", words.Figures(is.Servers), words.Figures(was.Servers))
	case math.Abs(did/float64(factor)-1) > factorOff:
		return F("the device became %s times as fast, and the prediction is about %d", words.Figures(did), factor)
	}
	return ""
}

func metricOf(metric string, r *rung.Rung) stats.Interval {
	if metric == model.OfThroughput {
		return r.Throughput
	}
	return r.Mean
}

// asInterval takes a prediction without an interval, or with a range, by its bounds.
func asInterval(i stats.Interval) stats.Interval {
	if !i.Bounded() {
		i.Confidence = stats.Confidence
	}
	return i
}

// alike reports whether two measurements of the same differ by no more than chance, or than matters.
func alike(a, b stats.Interval) bool {
	return !stats.ClearlyMore(a, b) && !stats.ClearlyMore(b, a) || math.Abs(stats.Ratio(a.Value, b.Value)-1) < pairwise.Moved
}

// mostOfDevice is the device that a unit of work needs most of; none where devices were not measured.
func mostOfDevice(r *rung.Rung) (most resource.Resource) {
	for _, of := range r.Resources {
		if of.Kind == resource.Device && of.Demand > most.Demand {
			most = of
		}
	}
	return most
}

// metricText writes a value of a prediction's metric.
func metricText(p model.TestedPrediction, v float64) string {
	if p.Prediction.Metric == model.OfThroughput {
		return words.Figures(v)
	}
	return words.Seconds(v)
}

// testedText says what was predicted, what was measured, and whether they agree.
//
// Needs: A figure that is predicted of the very change of an experiment; the ratio with its interval.
func testedText(p model.TestedPrediction, v *model.Variant) string {
	what := F("a mean response time of %s", metricText(p, p.Prediction.Value.Value))
	if p.Prediction.Metric == model.OfThroughput {
		what = strings.TrimSpace(metricText(p, p.Prediction.Value.Value) + " " + v.Work.Unit.Throughput)
	}
	change := F("%s at %s instead of %s", p.Path, p.To, p.From)
	if p.Prediction.Factor > 0 {
		change = F("the device %d times as fast", p.Prediction.Factor)
	}
	text := F("With %s, %s at %d was predicted%s", change, what, p.Rung, boundsText(p, p.Prediction.Value))
	if p.Measured != nil {
		text += F(", and %s was measured%s", metricText(p, p.Measured.Value), boundsText(p, *p.Measured))
	}
	switch p.Outcome {
	case model.Confirmed:
		return F("%s: it held.", text)
	case model.Refuted:
		return F("%s, %s times that: it did not hold.", text, words.Figures(p.Ratio.Value))
	}
	return F("%s. It was not tested: %s.", text, p.Reason)
}

func boundsText(p model.TestedPrediction, i stats.Interval) string {
	low, high := metricText(p, i.Low), metricText(p, i.High)
	if low == high {
		return ""
	}
	return F(" (%s to %s)", low, high)
}

// SetScore adds the score of the predictions of a run, if any was to be tested.
func SetScore(a *model.Analysis, all []model.TestedPrediction) {
	if a.Score = model.ScoreOf(all); a.Score != nil {
		a.Score.Text = scoreText(a.Score)
	}
}

// scoreText is the score in a sentence, with the reasons of experiments that measured nothing.
//
// Needs: All predictions for which an experiment was made.
func scoreText(s *model.PredictionScore) string {
	text := F("No prediction was tested")
	if tested := s.Held + s.Missed; tested > 0 {
		text = F("%d of %s held", s.Held, Count(tested, "tested prediction"))
	}
	if s.Untested > 0 {
		text += F(", and experiments left %s untested", Count(s.Untested, "prediction"))
	}
	parts := []string{text + "."}
	for _, p := range s.Predictions {
		if p.Measured == nil { // no finding says it
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, " ")
}
