package protection

import (
	"math"
	"testing"
)

// The published example: of 432 TB raw, 288 TB stay of a dispersed pool on single drives, and 180 TB
// of two copies on RAID 6.
func TestShares(t *testing.T) {
	for text, want := range map[string]float64{
		"replica 2 on RAID 10+2": 180. / 432, "disperse 4+2 on JBOD": 288. / 432, "replica 3": 1. / 3, "replica 3 on RAID 11+1": 11. / 36, "replica 1 on RAID 8+1": 8. / 9,
	} {
		s, err := Parse(text)
		if err != nil || math.Abs(s.Efficiency()-want) > 1e-9 {
			t.Errorf("%s: %v of the raw capacity, %v; want %v", text, s.Efficiency(), err, want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"replica 2 on RAID 10+2", "disperse 4+2 on JBOD", "replica 3 on JBOD"} {
		if got, err := Parse(text); err != nil || got.Name() != text {
			t.Errorf("%q became %q, %v", text, got.Name(), err)
		}
	}
	for _, text := range []string{"", "replica", "replica 0", "disperse 1+2", "disperse 2+2", "disperse 4", "replica 2 on RAID 0+2", "replica 2 on tape"} {
		if p, err := Parse(text); err == nil {
			t.Errorf("%q became %+v", text, p)
		}
	}
}
