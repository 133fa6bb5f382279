package campaign

import (
	"context"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// diary is a class and a server that write down what is done to them.
type diary struct {
	storage.Class
	platform.Process
	entries *[]string
}

func (d diary) RemoveLimits() error { *d.entries = append(*d.entries, "remove limits"); return nil }

func (d diary) Stop(context.Context) error { *d.entries = append(*d.entries, "stop"); return nil }

func (d diary) Remount(context.Context) (storage.RemountResult, error) {
	*d.entries = append(*d.entries, "remount")
	return storage.RemountResult{Done: "unmounted it", Kept: []string{"what its servers have in memory"}}, nil
}

func (d diary) Settle(context.Context) (string, error) {
	*d.entries = append(*d.entries, "settle")
	return "", nil
}

func (d diary) Describe() describe.Storage { return describe.Storage{} }
func (d diary) Devices() []describe.Device { return nil }

func TestServersAreStoppedBeforeTheirVolumesAreRemounted(t *testing.T) {
	d := diary{entries: &[]string{}}
	made := alone(&trial{c: &Campaign{}, storages: []lain{{Class: d}}}, filledRole{by: bare{}})
	made.instances = []*instance{running(made, 0, d, nil)}
	source, err := made.dropCaches(t.Context())
	if err != nil || !strings.Contains(source, "unmounted it") {
		t.Errorf("%q, %v", source, err)
	}
	if want := []string{"remove limits", "stop", "remount"}; !slices.Equal(*d.entries, want) {
		t.Errorf("%v, want %v", *d.entries, want)
	}
}

// What a workload without servers has just prepared is in no cache when its trial
// begins; what stays nevertheless is held against the result. Servers are left in
// peace, with what they have warmed up.
func TestCachesAreEmptiedBeforeATrialWithoutServers(t *testing.T) {
	for name, c := range map[string]struct {
		of    filledRole
		want  []string
		doubt int
	}{
		"no server": {filledRole{by: bare{}}, []string{"remount", "settle"}, 1},
		"a server":  {filledRole{engine: someEngine{}, by: started{}}, []string{"settle"}, 0},
	} {
		d := diary{entries: &[]string{}}
		made := alone(&trial{c: &Campaign{}, storages: []lain{{Class: d}}}, c.of)
		made.instances = []*instance{{servers: []*server{{filledRole: c.of, held: []*held{{volume: &storage.Volume{Path: "/v"}}}}}}}
		if err := made.settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(*d.entries, c.want) || len(made.result.Doubts) != c.doubt {
			t.Errorf("%s: %v, want %v; doubts %q", name, *d.entries, c.want, made.result.Doubts)
		}
	}
}
