package workload_test

import (
	"testing"

	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

func TestBetween(t *testing.T) {
	for n, wrong := range map[int]bool{0: true, 1: false, 3: false, 4: true} {
		var all workload.ParameterErrors
		workload.Between(&all, "n", n, 1, 3)
		if (len(all) > 0) != wrong {
			t.Errorf("%d: %v", n, all)
		}
	}
	var all workload.ParameterErrors
	workload.Between(&all, "size", unit.Bytes(1), 4096, 1<<20)
	if len(all) != 1 || all[0].Field != "size" || all[0].Reason != "must be 4KiB to 1MiB, got 1B" {
		t.Errorf("%+v", all)
	}
}
