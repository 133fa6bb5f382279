package describe_test

import (
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
)

func TestBetween(t *testing.T) {
	for n, wrong := range map[int]bool{0: true, 1: false, 3: false, 4: true} {
		var all describe.Problems
		describe.Between(&all, "n", n, 1, 3)
		if (len(all) > 0) != wrong {
			t.Errorf("%d: %v", n, all)
		}
	}
	var all describe.Problems
	describe.Between(&all, "size", unit.Bytes(1), 4096, 1<<20)
	if len(all) != 1 || all[0].Path != "size" || all[0].Text != "must be 4KiB to 1MiB, got 1B" {
		t.Errorf("%+v", all)
	}
}
