package gluster

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
)

func TestGeometriesInTheFieldsWords(t *testing.T) {
	for text, want := range map[string]struct {
		name       string
		bricks     int
		survives   int
		efficiency float64
	}{
		"distributed 3": {"distributed 3", 3, 0, 1},
		"replica 3":     {"replica 3", 3, 1, 1.0 / 3},
		"2x3":           {"distributed-replicated 2x3", 6, 1, 1.0 / 3},
		"3×2":           {"distributed-replicated 3x2", 6, 0, 0.5},
		"4+2":           {"dispersed 4+2", 6, 2, 4.0 / 6},
		"2x(4+2)":       {"distributed-dispersed 2x(4+2)", 12, 2, 4.0 / 6},
	} {
		g, err := ParseGeometry(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if g.String() != want.name || g.Bricks() != want.bricks || g.Survives() != want.survives || g.Efficiency() != want.efficiency {
			t.Errorf("%s: %s, %d bricks, survives %d, efficiency %v", text, g, g.Bricks(), g.Survives(), g.Efficiency())
		}
	}
}

func TestGeometriesThatGlusterDoesNotSupport(t *testing.T) {
	for _, text := range []string{"", "raid 6", "2+2", "2+4", "4+0", "0x3", "replica 1", "distributed 0"} {
		if g, err := ParseGeometry(text); err == nil {
			t.Errorf("%q was taken for %s", text, g)
		}
	}
}

func TestImpossiblePools(t *testing.T) {
	for name, c := range map[string]struct {
		p    Parameters
		want string
	}{
		"too few bricks": {Parameters{Peers: 3, Bricks: 1, Geometry: "4+2"}, "needs 6 bricks"},
		"no geometry":    {Parameters{Peers: 3, Bricks: 1, Geometry: "mirror"}, "not a geometry"},
		"no peers":       {Parameters{Peers: 0, Bricks: 1, Geometry: "replica 3"}, "peers"},
		"a rate":         {Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Link: "10GB"}, "not a rate"},
		"an option":      {Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Options: map[string]string{"; rm": "x"}}, "not the name"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := Kind{}.Validate(&c.p)
			var text []string
			for _, e := range bad {
				text = append(text, e.Path+": "+e.Text)
			}
			if !strings.Contains(strings.Join(text, "\n"), c.want) {
				t.Errorf("%q is not said: %v", c.want, text)
			}
		})
	}
}

// The pools of the published experiment: six peers with two dozen drives or
// fewer, and each set on as many peers as it has bricks.
func TestEverySetLiesOnDifferentPeers(t *testing.T) {
	for _, c := range []struct {
		geometry string
		bricks   int
	}{
		{"3x2", 1}, {"6x2", 2}, {"4+2", 1}, {"2x(4+2)", 2}, {"12x(4+2)", 12}, {"24x(4+2)", 24},
	} {
		g, err := ParseGeometry(c.geometry)
		if err != nil {
			t.Fatal(err)
		}
		p := &Parameters{Peers: 6, Bricks: c.bricks}
		var all [][2]int // peer and disk
		for n := range g.Bricks() {
			all = append(all, [2]int{p.peerOf(n + 1), p.diskOf(n + 1)})
		}
		if len(all) != 6*c.bricks {
			t.Errorf("%s has %d bricks", c.geometry, len(all))
		}
		used := map[[2]int]bool{}
		for set := range slices.Chunk(all, g.SetSize()) {
			on := map[int]bool{}
			for _, b := range set {
				on[b[0]], used[b] = true, true
				if b[0] < 1 || b[0] > 6 || b[1] >= c.bricks {
					t.Errorf("%s: brick %v does not exist", c.geometry, b)
				}
			}
			if len(on) != g.SetSize() {
				t.Errorf("%s: the set %v lies on %d peers", c.geometry, set, len(on))
			}
		}
		if len(used) != len(all) {
			t.Errorf("%s uses bricks twice: %v", c.geometry, all)
		}
	}
}

// The memory of a pool is planned for its drives, so that a plan can report how many would
// fit.
func TestMemoryGrowsWithTheDrives(t *testing.T) {
	place := func(bricks int, geometry string) storage.Place {
		p := Kind{}.Defaults().(*Parameters)
		p.Peers, p.Bricks, p.Geometry, p.Disk = 6, bricks, geometry, &disk.Parameters{Media: "hdd-7200"}
		return Kind{}.Place(p)
	}
	few, many := place(12, "12x(4+2)"), place(24, "24x(4+2)")
	if few.Media != 72 || many.Media != 144 {
		t.Errorf("%d and %d media", few.Media, many.Media)
	}
	if got, want := many.Memory+many.VolumeMemory-few.Memory-few.VolumeMemory, 72*few.MediumMemory; got != want {
		t.Errorf("72 drives more need %d bytes, planned %d", got, want)
	}
}
