package setup

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// streams is a trial of streams between a driver and a sink on one machine.
func streams() *result.Trial {
	return &result.Trial{
		Part: result.Part{Profile: describe.Profile{User: "stream", Unit: describe.Unit{Bytes: true}}, Servers: []result.Server{{Role: "sink", Stateless: true, Source: "plimsoll"}}},

		Machines: []result.Host{{Name: "local", Roles: []string{result.ApplicationRole, result.DriverRole, result.StorageRole}}},
	}
}

func TestStreamsWithinOneMachine(t *testing.T) {
	if w := within([]*result.Trial{streams(), streams()}); w == nil || w.Role != "sink" || w.User != "stream" {
		t.Errorf("%+v", w)
	}
	for name, change := range map[string]func(*result.Trial){
		"a server of another owner": func(t *result.Trial) { t.Servers[0].Source = "existing" },
		"a server that keeps data":  func(t *result.Trial) { t.Servers[0].Stateless = false },
		"two machines":              func(t *result.Trial) { t.Machines = append(t.Machines, result.Host{Name: "b"}) },
		"drivers elsewhere":         func(t *result.Trial) { t.Machines[0].Roles = []string{result.ApplicationRole} },
		"no machine is known":       func(t *result.Trial) { t.Machines = nil },
		"pages, not bytes":          func(t *result.Trial) { t.Profile.Unit.Bytes = false },
	} {
		other := streams()
		change(other)
		if w := within([]*result.Trial{streams(), other}); w != nil {
			t.Errorf("%s: %+v", name, w)
		}
	}
}

// Whoever reads JSON is not left with a sentence; a run between machines has no such field.
func TestWithinIsInJSON(t *testing.T) {
	const field = `"within":{"role":"sink","user":"stream"}`
	for _, trials := range [][]*result.Trial{{streams()}, nil} {
		text, err := json.Marshal(model.RunInfo{Within: within(trials)})
		if err != nil || strings.Contains(string(text), field) != (trials != nil) || strings.Contains(string(text), "within") != (trials != nil) {
			t.Errorf("%d trials: %s, %v", len(trials), text, err)
		}
	}
}
