package setup

import (
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// What Plimsoll has no server for cannot be limited, so no setting is named.
func TestExperimentsNameSettingsOfTheVariant(t *testing.T) {
	for want, made := range map[string]*result.Trial{
		"engine.cpu":   {Part: result.Part{Servers: []result.Server{{Role: "db"}}}},
		"stack.db.cpu": {Part: result.Part{Servers: []result.Server{{Role: "db"}}}, Variant: study.Variant{Application: study.Application{Stack: map[string]study.Engine{"db": {Name: "x"}}}}},
		"":             {},
	} {
		if got := limitPathOf(made); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := limitPathOf(&result.Trial{Part: result.Part{Servers: []result.Server{{Role: "db", Source: "existing"}}}}); got != "" {
		t.Errorf("%q of an existing server", got)
	}
}

func limitPathOf(made *result.Trial) string {
	made.Variant.Name = "a"
	s := &Subject{Evidence: &trust.Evidence{Run: &result.Run{Trials: []*result.Trial{made}}}}
	path, _ := s.ServerPath(&model.Variant{Name: "a"}, "", "cpu")
	return path
}
