package analysis

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// asked has a trial's disks complete 3 reads and 57 writes a second, of 1 and 9 MB, on two
// disks that hold volumes.
func asked(t *result.Trial) {
	t.Devices = []describe.Device{{Name: "loop1"}, {Name: "loop2"}}
	for _, name := range []string{"loop1", "loop2", "sda"} {
		analysistest.Sampled(t, "device", name, "reads", 1.5)
		analysistest.Sampled(t, "device", name, "writes", 28.5)
		analysistest.Sampled(t, "device", name, "read_bytes", 0.5e6)
		analysistest.Sampled(t, "device", name, "write_bytes", 4.5e6)
	}
}

func ofRequests(a *Analysis) []Finding {
	return slices.DeleteFunc(slices.Clone(a.Findings), func(f Finding) bool { return f.Kind != "disk-requests" })
}

// The share of writes is of all disks that volumes lie on together, and of no other.
func TestWhatIsAskedOfTheDisks(t *testing.T) {
	run := madeUp(meanBelow(0.2), sample{"a", 1, 600, 0.1, false, asked}, sample{"a", 2, 600, 0.5, false, asked})
	all := ofRequests(analyse(t, run))
	if len(all) != 1 || all[0].Text != "At 2 instances, 95 % of the 60 requests/s at the disks of `a` were writes, and 90 % of the bytes." || all[0].Rung != 2 {
		t.Errorf("findings are %+v", all)
	}
	for _, one := range run.Trials {
		one.Devices = nil
	}
	if all := ofRequests(analyse(t, run)); len(all) != 0 {
		t.Errorf("where volumes lie on no disk that is known: %+v", all)
	}
}

// Members ask together: once for each variant of the study.
func TestWhatTilesAskOfTheDisks(t *testing.T) {
	run := tiles(1, 2, 4)
	for _, one := range run.Trials {
		asked(one)
	}
	all := ofRequests(analyse(t, run))
	if len(all) != 1 || all[0].Text != "At 4 tiles, 95 % of the 60 requests/s at the disks of `a` were writes, and 90 % of the bytes." || len(all[0].Trials) != 1 {
		t.Errorf("findings are %+v", all)
	}
}

// Only a run without members has requests by layer: members of a tile share their disks.
func TestRequestsByLayerOfMembers(t *testing.T) {
	merging := func(one *result.Trial) {
		asked(one)
		analysistest.Sampled(one, "device", "loop1", "write_merges", 5)
	}
	alone := analyse(t, madeUp(meanBelow(0.2), sample{"a", 1, 600, 0.1, false, merging}))
	if path := alone.Variants[0].Rungs[0].IO; path == nil || len(path.Layers) != 2 {
		t.Errorf("alone: %+v", path)
	}
	run := tiles(1, 2)
	for _, one := range run.Trials {
		merging(one)
	}
	for _, v := range analyse(t, run).Variants {
		for _, r := range v.Rungs {
			if r.IO != nil {
				t.Errorf("%s at %d: %+v", v.Name, r.Instances, r.IO)
			}
		}
	}
}
