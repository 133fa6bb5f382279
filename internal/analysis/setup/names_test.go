package setup

import "testing"

// The name of a factor says whose CPU it limits, and which servers it counts.
func TestNamesOfFactors(t *testing.T) {
	for path, want := range map[string][2]string{
		"engine.cpu":    {"4 CPU per instance", "CPU per instance"},
		"stack.db.cpu":  {"4 CPU per db server", "CPU per db server"},
		"storage.*.cpu": {"4 CPU per storage server", "CPU per storage server"},
		"load.users":    {"users 4", "users"},

		"engine.count":      {"4 servers", "servers"},
		"stack.store.count": {"4 store servers", "store servers"},
	} {
		if got := [2]string{LevelText(path, "4"), FactorName(path)}; got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}
