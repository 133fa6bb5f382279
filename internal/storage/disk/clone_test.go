package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/host/clone"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
)

// Files that are written over in place share no blocks where all others do.
func TestUnsharedFilesHaveTheirOwnBlocks(t *testing.T) {
	class, _ := up(t, "unshared", &disk.Parameters{Media: "ssd-sas", FileSystem: "xfs"})
	v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 10
	from := filepath.Join(v.Path, "from")
	for _, name := range []string{"table", "log/1", "log/old/1"} {
		file := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stats, err := clone.Tree(t.Context(), from, filepath.Join(v.Path, "to"), clone.Options{UID: clone.Keep, GID: clone.Keep, Unshared: []string{"log/*"}})
	if err != nil || stats.Reflinked != 2 || stats.Copied != size {
		t.Errorf("%+v, %v", stats, err)
	}
}
