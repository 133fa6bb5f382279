package verdict

import (
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/trust"
)

// The reason for a grade is the gravest of the trials that the verdict rests on.
func TestGradeReason(t *testing.T) {
	a := &model.Analysis{
		Grade:    "D",
		Variants: []model.Variant{{Name: "a", LoadLine: loadline.LoadLine{Rung: 4, Next: 8}}},
		Trials: []model.TrialInfo{
			{ID: "a/2/1", Variant: "a", Rung: 2, Grade: "F"}, {ID: "a/4/1", Variant: "a", Rung: 4, Grade: "B"},
			{ID: "a/8/1", Variant: "a", Rung: 8, Grade: "D"}, {ID: "a/8/2", Variant: "a", Rung: 8, Grade: "D"},
		},
		Warnings: []trust.Warning{
			{Trial: "a/2/1", Severity: trust.Serious, Kind: trust.Loop, Text: "not of the verdict"}, {Trial: "a/4/1", Severity: trust.Serious, Kind: trust.Cache, Text: "of a better trial"},
			{Trial: "a/8/1", Severity: trust.Caution, Kind: trust.FewUnits, Text: "less grave"}, {Trial: "a/8/1", Severity: trust.Serious, Kind: trust.DriverLate, Text: "the driver was late"},
			{Trial: "a/8/2", Severity: trust.Serious, Kind: trust.DriverLate, Text: "the driver was late"},
		},
	}
	if got := GradeReason(a); got != "the driver was late (2 trials)" {
		t.Errorf("the reason is %q", got)
	}
	a.Trials[3].Grade = "C"
	if got := GradeReason(a); got != "the driver was late (a/8/1)" {
		t.Errorf("the reason is %q", got)
	}
	a.Grade, a.Trials[2].Grade = "C", "C"
	a.Warnings = []trust.Warning{
		{Trial: "a/8/1", Severity: trust.Caution, Kind: trust.Cache, Text: "the data fit in memory"}, {Trial: "a/8/2", Severity: trust.Caution, Kind: trust.Cache, Text: "the data fit in memory"},
		{Trial: "a/8/1", Severity: trust.Caution, Kind: trust.OneRepetition, Text: "the only repetition"},
	}
	if got := GradeReason(a); got != "the data fit in memory (2 trials). The only repetition (a/8/1)" {
		t.Errorf("the reason is %q", got)
	}
}
