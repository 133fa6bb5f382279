package medium

import (
	"encoding/json"
	"testing"

	"plimsoll/test/quick"
)

// Long sequential streams come near to the figures of Rates, and none exceeds them.
func TestStreamsReachTheRates(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	drive, flash := testDrive(), testFlash()
	drive.Cache, drive.InnerRate = Cache{}, drive.OuterRate // equally fast everywhere
	controller := Cache{Bytes: 64 << 20, Protected: true}
	of := func(level, drives, groups int) *RAID {
		r := set(level, drives)
		if groups > 0 {
			r = testPool(level, drives, groups)
		}
		r.Cache = controller
		return &r
	}
	for name, c := range map[string]struct {
		spec        Spec
		read, write float64 // share of Rates that is reached at least
	}{
		"a drive":             {Spec{Rotational: &drive}, 0.95, 0.9},
		"a flash drive":       {Spec{Flash: &flash}, 0.95, 0.95},
		"RAID 0 of 4 drives":  {Spec{Rotational: &drive, RAID: of(0, 4, 0)}, 0.8, 0.8},
		"RAID 6 of 12 drives": {Spec{Rotational: &drive, RAID: of(6, 12, 0)}, 0.8, 0.7},
		"RAID 5 of 9 flash":   {Spec{Flash: &flash, RAID: of(5, 9, 0)}, 0.8, 0.7},
		"a pool of 2 RAID 5":  {Spec{Rotational: &drive, RAID: of(5, 10, 2)}, 0.7, 0.6},
	} {
		read, write := c.spec.Rates()
		for op, most := range map[Op]float64{Read: read, Write: write} {
			const count, length = 6000, 1 << 20
			_, end := closedLoop(New(c.spec, testSize), 32, count, sequential(op, length))
			least := map[Op]float64{Read: c.read, Write: c.write}[op]
			if got := count * length / end.Seconds() / most; got < least || got > 1.05 {
				t.Errorf("%s, operation %d: a stream reaches %.2f of %.4g bytes/s, want %.2f to 1.05", name, op, got, most, least)
			}
		}
	}
}

// Rates of earlier versions' recordings may have no unit; those that people write need one.
func TestRateWithoutUnit(t *testing.T) {
	var r Rate
	if err := json.Unmarshal([]byte(`"180000001/s"`), &r); err != nil || r != 180000001 {
		t.Errorf("%v, %v", r, err)
	}
	if text, err := json.Marshal(r); err != nil || string(text) != `"180000001B/s"` {
		t.Errorf("written as %s (%v)", text, err)
	}
	for _, text := range []string{"180/s", "180MB"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("%s is taken as %v", text, got)
		}
	}
}
