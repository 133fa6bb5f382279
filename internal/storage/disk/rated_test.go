package disk

import "testing"

// A maker's rate for a rotating drive is the rate of its outer tracks.
func TestRatedRate(t *testing.T) {
	for name, c := range map[string]struct {
		p    Parameters
		want int64
	}{
		"its own":   {Parameters{Media: "hdd-7200", Rate: 226e6}, 226e6},
		"given":     {Parameters{Media: "hdd-7200", Rate: 200e6, Rated: 226e6}, 226e6},
		"flash":     {Parameters{Media: "ssd-sas", Rated: 500e6}, 500e6},
		"not known": {Parameters{Media: "ssd-sas"}, 0},
	} {
		if got := c.p.resolve().ratedRate(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
