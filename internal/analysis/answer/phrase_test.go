package answer

import (
	"testing"

	"plimsoll/internal/analysis/resource"
)

// A resource says what it is used of.
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
		if LoadText(c.r) != c.load || ShareText(c.r) != c.share || KernelBusy(c.r) != c.shown {
			t.Errorf("%+v: %q, %q, %q", c.r, LoadText(c.r), ShareText(c.r), KernelBusy(c.r))
		}
	}
}
