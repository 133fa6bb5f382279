package verdict

import (
	"testing"

	"plimsoll/internal/analysis/model"
)

// The command can be run as printed. A study that is not shipped is not named, because its
// name is not a file name.
func TestRaiseText(t *testing.T) {
	a := &model.Analysis{}
	a.Study.Name, a.Study.Profile, a.Study.Set = "quickstart", "laptop", []string{"repetitions=2", "seed=5"}
	longer := model.Improvement{To: "B", Set: []string{"repetitions=3"}}
	idle := longer
	idle.Idle = true
	for _, c := range []struct {
		raise   model.Improvement
		shipped bool
		want    string
	}{
		{longer, true, "for a grade of B: `plimsoll run quickstart --profile laptop --set seed=5 --set repetitions=3`"},
		{longer, false, "for a grade of B: run it with `--set repetitions=3`"},
		{idle, false, "for a grade of B: run it with `--set repetitions=3` while nothing else runs on the machine"},
		{model.Improvement{To: "A", Guests: true}, false, "for a grade of A: run it again where the hypervisor gives no CPU to other guests"},
		{model.Improvement{To: "A", Idle: true}, false, "for a grade of A: run it again while nothing else runs on the machine"},
	} {
		if a.Raise = &c.raise; RaiseText(a, c.shipped) != c.want {
			t.Errorf("%q, want %q", RaiseText(a, c.shipped), c.want)
		}
	}
}
