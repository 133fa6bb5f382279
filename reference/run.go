package reference

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// defaultMeasure is the length of the measured phase where none was
// published. It only turns rates into counts and back.
const defaultMeasure = 5 * time.Minute

// Run returns the set as a run: one trial for each published figure.
func (s *Set) Run() (*result.Run, error) {
	p := &plan.Plan{Study: s.study()}
	run := &result.Run{ID: s.Name, Plan: p}
	for _, v := range s.Variants {
		p.Variants = append(p.Variants, s.variant(v))
		for _, point := range v.Points {
			t, err := s.trial(v, point, len(run.Trials)+1)
			if err != nil {
				return nil, fmt.Errorf("reference %s, variant %s at %d: %w", s.Name, v.Name, point.At, err)
			}
			run.Trials = append(run.Trials, t)
			p.Trials = append(p.Trials, plan.Trial{Position: t.Position, ID: t.ID, Variant: v.Name, Rung: t.Rung, Repetition: 1})
		}
	}
	return run, nil
}

func (s *Set) study() *study.Study {
	out := &study.Study{
		Name: s.Name, Title: s.Title, Question: s.Question, Source: s.Citation.String(),
		Application: study.Application{Workload: s.workload(), Load: study.Load{Users: s.Load.Users, ThinkTime: s.Load.ThinkTime}},
		Storage:     map[string]study.Storage{},
		Repetitions: 1,
		Phases:      study.Phases{Warmup: s.Warmup, Measure: s.Measure},
		Prices:      s.Prices,
		Ladder:      study.Ladder{Rungs: s.rungs()},
	}
	for _, text := range s.Objectives {
		if o, err := study.ParseObjective(text); err == nil { // as check found
			out.Objectives = append(out.Objectives, o)
		}
	}
	return out
}

func (s *Set) workload() study.Workload {
	parameters := map[string]any{"unit": s.Unit}
	if s.Noun != "" {
		parameters["noun"] = s.Noun
	}
	return study.Workload{Name: s.Workload, Parameters: parameters}
}

// rungs joins the counts of all variants.
func (s *Set) rungs() []int {
	var rungs []int
	for _, v := range s.Variants {
		for _, p := range v.Points {
			rungs = append(rungs, p.At)
		}
	}
	slices.Sort(rungs)
	return slices.Compact(rungs)
}

func (s *Set) variant(v Variant) study.Variant {
	return study.Variant{
		Name: v.Name, Factors: v.Factors, StorageName: v.Factors["storage"],
		Application: study.Application{Workload: s.workload(), Load: study.Load{Users: s.Load.Users, ThinkTime: s.Load.ThinkTime}},
	}
}

func (s *Set) trial(v Variant, p Point, position int) (*result.Trial, error) {
	start := s.Citation.Time()
	measureStart := start.Add(s.Warmup.D())
	t := &result.Trial{
		Schema: result.SchemaVersion,
		ID:     fmt.Sprintf("%s/%d/1", v.Name, p.At), Variant: s.variant(v), Rung: p.At, Repetition: 1, Position: position, Part: result.Part{Profile: s.profile(), Dataset: s.Dataset},
		Status: result.Passed,
		Begun:  start, Start: start, MeasureStart: measureStart, MeasureEnd: measureStart.Add(s.measure()),
		Published: true,
		Storages:  result.OnlyStorage(s.variant(v), describe.Storage{Class: v.Factors["storage"], Media: v.Media, MediaKind: describe.MediaKindIn(v.Media), Protection: v.Protection, Text: v.Text, Drives: s.drives(v), Rated: int64(v.Rated * 1e6)}),

		WarmupSeconds: s.Warmup.D().Seconds(),
	}
	t.Ended = t.MeasureEnd
	if p.Failed != "" {
		t.Status = result.Failed
		t.Failure = &result.Failure{At: t.Ended, Stage: "drive", Cause: p.Failed + " (published)"}
		return t, nil
	}
	o, err := s.operation(p)
	t.Operations = map[string]result.OperationSummary{t.Profile.Whole(): o}
	return t, err
}

// drives are those that the figures of a variant are of.
func (s *Set) drives(v Variant) int {
	if s.profile().Unit.PerDrive && v.Drives > 0 {
		return 1
	}
	return v.Drives
}

func (s *Set) measure() time.Duration {
	if s.Measure > 0 {
		return s.Measure.D()
	}
	return defaultMeasure
}

// profile is what the publication's throughput counts.
func (s *Set) profile() describe.Profile {
	u := describe.Unit{Name: "operation", Plural: "operations", Throughput: s.Unit, Seconds: 1, Bytes: strings.HasPrefix(s.Unit, "MB/"), PerDrive: strings.HasSuffix(s.Unit, " per drive"), Relative: strings.HasPrefix(s.Unit, "%")}
	counted, period, _ := strings.Cut(s.Unit, "/")
	switch {
	case s.Unit == "OPM":
		u.Name, u.Plural, u.Seconds = "order", "orders", 60
	case period == "h":
		u.Seconds = 3600
	}
	if singular, ok := strings.CutSuffix(counted, "s"); ok && period != "" && singular != "op" {
		u.Name, u.Plural = singular, counted
	}
	return describe.Profile{Workload: s.Workload, Unit: u, Operations: []string{u.Name}}
}

// operation turns a rate back into the count that a trial records.
func (s *Set) operation(p Point) (result.OperationSummary, error) {
	seconds := s.measure().Seconds()
	o := result.OperationSummary{Mean: p.Mean / 1e3, Bytes: int64(math.Round(p.Payload * 1e6 * seconds))}
	unit := s.profile().Unit
	if unit.Bytes {
		o.Bytes = int64(math.Round(p.Throughput * 1e6 * seconds))
		return o, nil
	}
	exact := p.Throughput / unit.Seconds * seconds
	o.Count = int64(math.Round(exact))
	if math.Abs(exact-float64(o.Count)) > 1e-6*max(1, exact) {
		return o, fmt.Errorf("%v %s in %v is not a whole count: choose another length of the measured phase", p.Throughput, s.Unit, s.measure())
	}
	return o, nil
}
