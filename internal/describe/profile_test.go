package describe

import (
	"testing"
	"time"
)

// A gigabit is 125 million bytes, and a megabyte one.
func TestUnitsOfPayload(t *testing.T) {
	for _, c := range []struct {
		unit          Unit
		rate, payload float64
	}{
		{Unit{Seconds: 1, Bytes: true, Each: 125e6}, 8, 1000},
		{Unit{Seconds: 1, Bytes: true}, 1000, 1000},
		{Unit{Seconds: 60}, 30, 0},
	} {
		if got := c.unit.Rate(1, 2e9, 2*time.Second); got != c.rate || c.unit.Payload(got) != c.payload {
			t.Errorf("%+v: %v, %v MB/s; want %v, %v", c.unit, got, c.unit.Payload(got), c.rate, c.payload)
		}
	}
}
