package provenance

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// trialOf is a trial that passed and whose audit found everything.
func trialOf(id, variant string, at int) model.TrialInfo {
	present := int64(100)
	return model.TrialInfo{ID: id, Variant: variant, Rung: at, Status: string(result.Passed), Audit: "all there", Present: &present}
}

// analysed is a variant with a load line between 4 and 8, and one without any.
func analysed() *model.Analysis {
	a := &model.Analysis{
		Study:    model.StudyInfo{Name: "small", Noun: "instance"},
		Run:      model.RunInfo{ID: "run"},
		Headline: "`ssd` carries 4 instances.",
		Grade:    "C",
		Variants: []model.Variant{
			{Name: "ssd", LoadLine: loadline.LoadLine{Rung: 4, Next: 8}, Rungs: []rung.Rung{
				{Instances: 2, Kept: true},
				{Instances: 4, Kept: true, Objectives: []rung.ObjectiveResult{{Text: "p95 <= 1s", Kept: true}}},
				{Instances: 8, Resources: []resource.Resource{{Name: "sda", Kind: resource.Device}, {Name: "sda", Kind: resource.Device, Machine: "store"}}},
			}},
			{Name: "hdd", Best: &model.Best{Rung: 2}, Rungs: []rung.Rung{{Instances: 1}, {Instances: 2}}},
		},
		Verdict: []model.Sentence{{Variant: "ssd", Text: "carries 4"}, {Variant: "hdd", Text: "carries none"}},
		Trials:  []model.TrialInfo{trialOf("ssd/2/1", "ssd", 2), trialOf("ssd/4/1", "ssd", 4), trialOf("ssd/8/1", "ssd", 8), trialOf("hdd/2/1", "hdd", 2)},
	}
	return a
}

// A verdict rests on the rungs about its load line, and without one on the best rung.
func TestVerdictsHaveTheRungsThatDecide(t *testing.T) {
	c := Build(analysed())
	if c.Study != "small" || len(c.Verdicts) != 2 || c.Verdicts[0].Text != "carries 4" {
		t.Fatalf("%+v", c)
	}
	for i, want := range [][]int{{4, 8}, {2}} {
		var got []int
		for _, r := range c.Verdicts[i].Rungs {
			got = append(got, r.Instances)
			if r.Objectives == nil || len(r.Trials) != 1 {
				t.Errorf("%s at %d: %+v", c.Verdicts[i].Variant, r.Instances, r)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s rests on %v, want %v", c.Verdicts[i].Variant, got, want)
		}
	}
	if r := c.Verdicts[0].Rungs[0]; !r.Kept || len(r.Objectives) != 1 {
		t.Errorf("%+v", r)
	}
}

// Trials that another attempt replaces, of a member alone or of another variant are no evidence; a
// trial that failed is.
func TestTrialsOfARung(t *testing.T) {
	a := analysed()
	failed, replaced, alone, other := trialOf("ssd/4/2", "ssd", 4), trialOf("ssd/4/3", "ssd", 4), trialOf("ssd/4/4", "ssd", 4), trialOf("hdd/4/1", "hdd", 4)
	failed.Status, failed.Cause, failed.Present = string(result.Failed), "a server ended", nil
	replaced.Status, alone.Alone = model.LeftOut, true
	a.Trials = append(a.Trials, failed, replaced, alone, other)
	c := Build(a)
	var ids []string
	for _, one := range c.Verdicts[0].Rungs[0].Trials {
		ids = append(ids, one.ID)
	}
	if !slices.Equal(ids, []string{"ssd/4/1", "ssd/4/2"}) || c.Verdicts[0].Rungs[0].Trials[1].Cause != "a server ended" {
		t.Errorf("%v: %+v", ids, c.Verdicts[0].Rungs[0].Trials)
	}
	if c.Audit.Trials != 3 {
		t.Errorf("a trial that failed counts in the audit: %+v", c.Audit)
	}
}

// A bottleneck has the resource that its cause names, of the same kind and machine.
func TestBottleneckHasItsResource(t *testing.T) {
	cause := func(name, machine string) *diagnose.Cause {
		return &diagnose.Cause{Kind: diagnose.Saturated, Resource: name, ResourceKind: resource.Device, Machine: machine}
	}
	for _, c := range []struct {
		finding model.Finding
		machine string
		found   bool
	}{
		{model.Finding{Rung: 8, Cause: cause("sda", "store")}, "store", true},
		{model.Finding{Rung: 8, Cause: cause("sda", "")}, "", true},
		{model.Finding{Rung: 8, Cause: cause("sdb", "")}, "", false},
		{model.Finding{Rung: 2, Cause: cause("sda", "")}, "", false},
		{model.Finding{Rung: 16, Cause: cause("sda", "")}, "", false},
		{model.Finding{Rung: 8}, "", false},
	} {
		a := analysed()
		c.finding.Kind, c.finding.Variant = "bottleneck", "ssd"
		a.Findings = []model.Finding{c.finding}
		b := Build(a).Verdicts[0].Bottleneck
		if b == nil || (b.Resource != nil) != c.found || c.found && b.Resource.Machine != c.machine {
			t.Errorf("%+v: %+v", c.finding, b)
		}
	}
}

// Experiments are shown with the verdict of their variant; the one about the bottleneck judges it.
func TestExperiments(t *testing.T) {
	a := analysed()
	a.Findings = []model.Finding{
		{ID: "b1", Kind: "bottleneck", Variant: "ssd", Rung: 8},
		{ID: "x", Kind: "effect", Variant: "ssd"},
		{ID: "confirm-b1", Kind: "confirmation", Variant: "hdd"},
		{ID: "s", Kind: "scalability", Variant: "ssd"},
	}
	v := Build(a).Verdicts
	if len(v[0].Experiments) != 1 || len(v[1].Experiments) != 1 || v[0].Judged() || v[1].Judged() {
		t.Errorf("%+v", v)
	}
	a.Findings = append(a.Findings, model.Finding{ID: "confirm-b1", Kind: "confirmation", Variant: "ssd"})
	if v := Build(a).Verdicts[0]; !v.Judged() {
		t.Errorf("its experiment was made: %+v", v.Experiments)
	}
}

// Audits count at the rungs that decide: those that passed, those that did not, and trials without.
func TestAuditOfTheTrialsThatDecide(t *testing.T) {
	a := analysed()
	a.Trials[0].Audit, a.Trials[0].Present = "", nil // at a rung that does not decide
	a.Trials[1].Present = nil                        // something is missing
	a.Trials[2].Audit, a.Trials[2].Present = "", nil // had none
	got := Build(a).Audit
	if got.Trials != 3 || got.Passed != 1 || got.Present != 100 || !slices.Equal(got.Without, []string{"ssd/8/1"}) {
		t.Errorf("%+v", got)
	}
}

// A grade rests on the warnings of the run and of the trials that decide, and not on notes.
func TestGradeHasItsWarnings(t *testing.T) {
	a := analysed()
	a.Warnings = []trust.Warning{
		{Severity: trust.Serious, Text: "of the run"}, {Severity: trust.Caution, Trial: "ssd/4/1", Text: "of one that decides"},
		{Severity: trust.Serious, Trial: "ssd/2/1", Text: "of one that does not"}, {Severity: trust.Note, Text: "a note"},
	}
	var texts []string
	for _, w := range Build(a).Grade.Warnings {
		texts = append(texts, w.Text)
	}
	if !slices.Equal(texts, []string{"of the run", "of one that decides"}) {
		t.Errorf("%q", texts)
	}
}
