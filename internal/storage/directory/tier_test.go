package directory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/host/mounts"
)

// fakeKernel has a bcache0 and answers dmsetup with a text.
func fakeKernel(t *testing.T, status string, err error) kernel {
	t.Helper()
	sys := t.TempDir()
	dir := filepath.Join(sys, "bcache0/bcache")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"cache_mode": "writethrough [writeback] writearound none\n", "dirty_data": "1.2G\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return kernel{sys: sys, status: func(string) (string, error) { return status, err }}
}

// cacheStatus is dmsetup's status of a cache of 16384 blocks of 128 sectors.
const cacheStatus = "0 20971520 cache 8 72/8192 128 501/16384 1209 330 87 401 0 501 14 1 writethrough 2 migration_threshold 2048 smq 0 rw -\n"

func TestTierOfTheKernel(t *testing.T) {
	for name, c := range map[string]struct {
		devices []string
		status  string
		want    string // empty for none
	}{
		"dm-cache":           {[]string{"dm-2", "sda", "nvme0n1"}, cacheStatus, "dm-cache dm-2 (writethrough, policy smq, 1GiB)"},
		"bcache":             {[]string{"bcache0", "sda"}, "", "bcache bcache0 (writeback, 1.2G dirty)"},
		"a linear volume":    {[]string{"dm-0", "sda"}, "0 20971520 linear", ""},
		"a plain disk":       {[]string{"sda"}, cacheStatus, ""},
		"below encryption":   {[]string{"dm-1", "bcache0"}, "0 20971520 crypt", "bcache bcache0 (writeback, 1.2G dirty)"},
		"a status cut off":   {[]string{"dm-2"}, "0 20971520 cache 8 72/8192 128 501/16384 1209 330 87 401 0 501 14 9", "dm-cache dm-2 (writeback, 1GiB)"},
		"a cache that fails": {[]string{"dm-2"}, "0 20971520 cache Fail", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := fakeKernel(t, c.status, nil).tierOf(c.devices)
			if err != nil || (got == nil) != (c.want == "") || got != nil && got.String() != c.want {
				t.Errorf("%v, %v; want %q", got, err, c.want)
			}
		})
	}
	if _, err := fakeKernel(t, "", errors.New("no permission")).tierOf([]string{"dm-0"}); err == nil {
		t.Error("a device that could not be looked at passes for none")
	}
}

// A study that wants the kernel's cache is refused elsewhere, with what was looked
// at and the command that helps.
func TestTierIsRefusedWhereThereIsNone(t *testing.T) {
	dir := t.TempDir()
	m, err := mounts.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := thisKernel().tierOf(m.Devices()); err == nil && found != nil {
		t.Skipf("the temporary directory lies on %s", found)
	}
	for kind, command := range map[string]string{dmCache: "lvconvert --type cache", bcache: "make-bcache"} {
		err := Kind{}.Usable(&Parameters{Path: dir, Tier: kind})
		if err == nil || !strings.Contains(err.Error(), command) || !strings.Contains(err.Error(), m.Point) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	other := fakeKernel(t, cacheStatus, nil).needsTier(bcache, mounts.Mount{Point: "/srv", Type: "nfs4"})
	if other == nil || !strings.Contains(other.Error(), "lies on nfs4, below which there is no block device") {
		t.Errorf("%v", other)
	}
}

func TestTierIsValidated(t *testing.T) {
	for tier, fine := range map[string]bool{"": true, dmCache: true, bcache: true, "flashcache": false} {
		if bad := (Kind{}).Validate(&Parameters{Path: "/srv", Tier: tier}); (len(bad) == 0) != fine {
			t.Errorf("tier %q: %v", tier, bad)
		}
	}
	if bad := (Kind{}).Validate(&Parameters{Path: Memory, Tier: bcache}); len(bad) != 1 || bad[0].Path != "tier" {
		t.Errorf("a cache of memory: %v", bad)
	}
}
