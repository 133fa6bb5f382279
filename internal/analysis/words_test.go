package analysis

import (
	"testing"

	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/resource"
)

// A resource says what it is used of, and a factor whose CPU it limits.
func TestSaysOfWhat(t *testing.T) {
	for _, c := range []struct {
		r                  resource.Resource
		load, share, shown string
	}{
		{resource.Resource{Kind: "cpu", Utilisation: 0.97, Servers: 8}, "97 % busy", "97 %", ""},
		{resource.Resource{Kind: "node", Utilisation: 0.97}, "used to 97 % of its limit", "97 % of its limit", ""},
		{resource.Resource{Kind: "quota", Utilisation: 0.97}, "97 % used", "97 %", ""},
		{resource.Resource{Kind: "device", Utilisation: 0.2, Busy: 0.2, Servers: 1}, "20 % busy", "20 %", ""},
		{resource.Resource{Kind: "device", Utilisation: 0.2, Busy: 0.6, Servers: 16}, "used to 20 % of its parallel capacity", "20 % of its parallel capacity",
			"the kernel shows it busy 60 % of the time, as it does while any request is in flight"},
		{resource.Resource{Kind: "device", Utilisation: 0.97, Busy: 0.97, Servers: 12, ByRate: true}, "used to 97 % of its sequential rate", "97 % of its sequential rate", ""},
	} {
		if answer.LoadText(c.r) != c.load || answer.ShareText(c.r) != c.share || answer.KernelBusy(c.r) != c.shown {
			t.Errorf("%+v: %q, %q, %q", c.r, answer.LoadText(c.r), answer.ShareText(c.r), answer.KernelBusy(c.r))
		}
	}
	for path, want := range map[string][2]string{
		"engine.cpu":    {"4 CPU per instance", "CPU per instance"},
		"stack.db.cpu":  {"4 CPU per db server", "CPU per db server"},
		"storage.*.cpu": {"4 CPU per storage server", "CPU per storage server"},
		"load.users":    {"users 4", "users"},
	} {
		if got := [2]string{levelText(path, "4"), factorName(path)}; got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}
