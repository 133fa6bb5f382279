package setup

import (
	"strings"
	"testing"

	"plimsoll/internal/study"
)

// Which variants have a value is said in the fewest words: by the level of a factor that
// only they have, by a few levels, or by all their names.
func TestTheVariantsOfAValueAreNamedShortly(t *testing.T) {
	var all []study.Variant
	for _, storage := range []string{"hdd", "ssd", "nvme"} {
		storages := map[string]study.Storage{storage: {Label: map[string]string{"hdd": "slow"}[storage]}}
		for _, operation := range []string{"read", "write"} {
			for _, users := range []string{"4", "8"} {
				all = append(all, study.Variant{
					Name:        storage + "-" + operation + "-" + users,
					StorageName: storage, Storages: storages,
					Factors: map[string]string{"storage": storage, "workload.parameters.operation": operation, "load.users": users},
				})
			}
		}
	}
	for want, in := range map[string]func(study.Variant) bool{
		"read":                       func(v study.Variant) bool { return v.Factors["workload.parameters.operation"] == "read" },
		"slow and nvme":              func(v study.Variant) bool { return v.Factors["storage"] != "ssd" },
		"users 8":                    func(v study.Variant) bool { return v.Factors["load.users"] == "8" },
		"hdd-read-4":                 func(v study.Variant) bool { return v.Name == "hdd-read-4" },
		"ssd-read-4 and ssd-write-8": func(v study.Variant) bool { return v.Name == "ssd-read-4" || v.Name == "ssd-write-8" },
	} {
		if got := strings.Join(whichOf(all, in), " and "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestDeploymentIsASetting(t *testing.T) {
	if got := variantSettings(study.Variant{Deployment: study.Container})["deployment"]; got != "container" {
		t.Errorf("the setting is %q", got)
	}
}
