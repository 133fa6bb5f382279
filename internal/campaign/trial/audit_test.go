package trial

import (
	"context"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/describe"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// diary is a storage class and a server that record the calls they get.
type diary struct {
	storage.Class
	platform.Process
	entries *[]string
}

func (d diary) RemoveLimits() error { *d.entries = append(*d.entries, "remove limits"); return nil }

func (d diary) Capabilities() storage.Capabilities {
	return storage.Capabilities{Remount: d.Remount, RemoveLimits: d.RemoveLimits}
}

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
	made := alone(&trial{storages: []instance.Storage{{Class: d}}}, "some")
	made.instances = []*instance.Instance{running(made, 0, d, nil)}
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
		engine string
		want   []string
		doubt  int
	}{
		"no server": {"", []string{"remount", "settle"}, 1},
		"a server":  {"some", []string{"settle"}, 0},
	} {
		d := diary{entries: &[]string{}}
		made := alone(&trial{storages: []instance.Storage{{Class: d}}}, c.engine)
		made.instances = []*instance.Instance{running(made, 0, nil, &storage.Volume{Path: "/v"})}
		if err := made.settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(*d.entries, c.want) || len(made.result.Doubts) != c.doubt {
			t.Errorf("%s: %v, want %v; doubts %q", name, *d.entries, c.want, made.result.Doubts)
		}
	}
}

// What was not counted is not a loss; a loss that was counted is said, whatever else was not.
func TestAuditsThatCouldNotBeMade(t *testing.T) {
	u := describe.Unit{Name: "record", Plural: "records"}
	fine := describe.Audit{Acknowledged: 5, Present: 5, Checks: []describe.Check{{Name: "all", Passed: true, Expected: 5, Found: 5}}}
	gone := describe.Audit{Instance: 1, Checks: []describe.Check{{Name: "everything was asked", Uncounted: "it answers nothing"}}}
	half := describe.Audit{Instance: 2, Acknowledged: 5, Present: 2, Checks: []describe.Check{{Name: "all", Expected: 5, Found: 2, Uncounted: "it answers no more"}}}
	lost := describe.Audit{Instance: 3, Acknowledged: 5, Present: 4, Checks: []describe.Check{{Name: "all", Expected: 5, Found: 4}, {Name: "files", Uncounted: "no"}}}
	none := describe.Audit{Instance: 4}
	for _, c := range []struct {
		all       []describe.Audit
		failed    bool
		uncounted string
		text      string
	}{
		{[]describe.Audit{fine, gone, half}, false, "instance 1: it answers nothing", "what was acknowledged could not be counted: instance 1: it answers nothing; and in 1 more instance"},
		{[]describe.Audit{fine, half}, false, "instance 2: it answers no more", "what was acknowledged could not be counted: instance 2: it answers no more"},
		{[]describe.Audit{gone, lost}, true, "", "instance 3: all: expected 5, found 4"},
		{[]describe.Audit{none}, false, "instance 4: no checks were made", "what was acknowledged could not be counted: instance 4: no checks were made"},
		{[]describe.Audit{fine}, false, "", "all 5 acknowledged records present, all 1 checks passed"},
	} {
		if s := summarise(c.all, 0, u); s.Failed() != c.failed || s.Uncounted != c.uncounted || s.Text != c.text || s.Passed != (!c.failed && c.uncounted == "") {
			t.Errorf("%+v: %+v", c.all, s)
		}
	}
}
