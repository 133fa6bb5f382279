package campaign_test

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/test/quick"
)

// ownGolden is two trials of two instances on a class that clones its own volumes.
func ownGolden(p campaigntest.OwnParameters) *plan.Plan {
	v := campaigntest.Variant("a", campaigntest.Parameters{Web: true, Files: true})
	return campaigntest.Plan([]study.Variant{campaigntest.OnOwnClass(v, p)}, []int{2}, 2)
}

func provisioned(t *testing.T, trial *result.Trial) result.Provisioning {
	t.Helper()
	if trial.Provisioned == nil {
		t.Fatalf("%s does not say how its instances got their data", trial.ID)
	}
	return *trial.Provisioned
}

// The data set is prepared once, on a volume of the class, and cloned from there.
func TestAClassOfItsOwnGoldenVolumes(t *testing.T) {
	inTime(t, ownGolden(campaigntest.OwnParameters{}), func(r *runs) {
		trials := r.finishes()
		passed(r.t, trials...)
		if loads := len(r.Calls("Workload.Prepare")); loads != 1 || len(r.Calls("MakeGolden")) > 0 {
			r.t.Errorf("%d loads, and the platform kept %d", loads, len(r.Calls("MakeGolden")))
		}
		for _, trial := range trials {
			if p := provisioned(r.t, trial); p.By != "volume clone" || p.Why != "" || p.GoldenSeconds <= 0 || p.AtOnce < 1 {
				r.t.Errorf("%s: %+v", trial.ID, p)
			}
		}
	})
}

// Where it does not clone, every instance is prepared by itself, and the result says why.
func TestAClassThatDoesNotClone(t *testing.T) {
	inTime(t, ownGolden(campaigntest.OwnParameters{NoClones: "the driver cannot"}), func(r *runs) {
		trials := r.finishes()
		passed(r.t, trials...)
		if loads := len(r.Calls("Workload.Prepare")); loads != 4 {
			r.t.Errorf("%d loads for two trials of two instances", loads)
		}
		for _, trial := range trials {
			if p := provisioned(r.t, trial); p.By != result.InPlace || p.Why != "the driver cannot" || p.Seconds <= 0 {
				r.t.Errorf("%s: %+v", trial.ID, p)
			}
		}
	})
}

// Two storage classes in one run each have golden volumes of their own, with different names, and
// the platform has its own as well.
func TestGoldenVolumesOfSeveralClasses(t *testing.T) {
	v := campaigntest.Variant("a", campaigntest.Parameters{})
	one := campaigntest.OnOwnClass(v, campaigntest.OwnParameters{})
	two := campaigntest.OnOwnClass(v, campaigntest.OwnParameters{})
	one.Name, two.Name, two.StorageName, two.Storages = "one", "two", "other", map[string]study.Storage{"other": two.Storage()}
	inTime(t, campaigntest.Plan([]study.Variant{v, one, two}, []int{1}, 2), func(r *runs) {
		trials := r.finishes()
		passed(r.t, trials...)
		if loads := len(r.Calls("Workload.Prepare")); loads != 3 {
			r.t.Errorf("%d loads for three storages", loads)
		}
		names := map[string]bool{}
		for _, c := range r.Calls("Class.Provision") {
			if names[c.Name] {
				r.t.Errorf("two volumes are called %s", c.Name)
			}
			names[c.Name] = true
		}
		for _, trial := range trials {
			if by := provisioned(r.t, trial).By; (by == result.Cloned) != strings.HasPrefix(trial.ID, "a/") {
				r.t.Errorf("%s: by %q", trial.ID, by)
			}
		}
	})
}

// A power cut ends the class with its volumes, golden ones included.
func TestOwnGoldenVolumesAreMadeAnewAfterAPowerCut(t *testing.T) {
	p := ownGolden(campaigntest.OwnParameters{})
	p.Study.Phases.End = study.CutPower
	inTime(t, p, func(r *runs) {
		passed(r.t, r.finishes()...)
		if loads := len(r.Calls("Workload.Prepare")); loads != 2 {
			r.t.Errorf("%d loads for two trials whose power is cut", loads)
		}
	})
}

// ownMoments are calls on the way to volumes that are cloned from golden ones.
func ownMoments() []moment {
	return []moment{
		{"provision", "Class.Clones", ""},
		{"provision", "Class.Provision", "golden-"},
		{"provision", "Class.Provision", "golden-own"},
		{"provision", "Class.Provision", "-files-0"}, // after others were made
		{"provision", "Run", "golden-"},
		{"provision", "Start", "golden-"},
		{"provision", "Workload.Prepare", ""},
		{"provision", "Process.Stop", "golden-"},
		{"provision", "Class.Import", ""},
		{"provision", "Class.Clone", "t1-web-001-1"},
	}
}

func TestAFailureOnTheWayToOwnGoldenVolumes(t *testing.T) {
	for _, m := range ownMoments() {
		t.Run(m.String(), func(t *testing.T) {
			inTime(t, ownGolden(campaigntest.OwnParameters{}), func(r *runs) {
				m.happens(r, func() error { return errors.New("out of luck") })
				trials := r.finishes()
				failedTo(r.t, trials[0], m.stage, "out of luck")
				passed(r.t, trials[1])
			})
		})
	}
}

// An interrupted run makes its golden volumes again: the earlier ones are gone.
func TestAnEndOnTheWayToOwnGoldenVolumes(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, m := range ownMoments() {
		for _, crashes := range []bool{false, true} {
			t.Run(m.String(), func(t *testing.T) {
				inTime(t, ownGolden(campaigntest.OwnParameters{}), func(r *runs) { r.endAt(m, crashes) })
			})
		}
	}
}
