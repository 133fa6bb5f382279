package directory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/directory"
)

func TestMain(m *testing.M) { storagetest.Main(m, nil) }

func TestConformance(t *testing.T) {
	for _, path := range []string{directory.Disk, directory.Memory, "temporary"} {
		t.Run(path, func(t *testing.T) {
			if path == "temporary" {
				path = t.TempDir()
				for _, dir := range []string{path, filepath.Dir(path)} {
					if err := os.Chmod(dir, 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			storagetest.Run(t, func(env storage.Env) (storage.Class, error) {
				return directory.Kind{}.New("plain", &directory.Parameters{Path: path}, env)
			})
		})
	}
}

func TestValidate(t *testing.T) {
	for path, fine := range map[string]bool{
		"memory": true, "disk": true, "/srv/data": true,
		"": false, "data": false, "./data": false,
	} {
		if bad := (directory.Kind{}).Validate(&directory.Parameters{Path: path}); (len(bad) == 0) != fine {
			t.Errorf("path %q: %v", path, bad)
		}
	}
}

func TestUsable(t *testing.T) {
	for path, want := range map[string]string{
		t.TempDir():      "",
		"/no/such/place": "mkdir -p /no/such/place",
		"disk":           "",
	} {
		err := (directory.Kind{}).Usable(&directory.Parameters{Path: path})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("path %q: %v", path, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	for path, durable := range map[string]bool{"/dev/shm": false, t.TempDir(): true} {
		class, err := directory.Kind{}.New("plain", &directory.Parameters{Path: path}, storage.Env{RunID: "describe-test"})
		if err != nil {
			t.Fatal(err)
		}
		if err := class.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		d := class.Describe()
		if err := class.Down(t.Context()); err != nil {
			t.Error(err)
		}
		if d.Simulated || d.Durable != durable && d.FileSystem != "tmpfs" {
			t.Errorf("%s: %+v", path, d)
		}
		if (d.FileSystem == "tmpfs") == d.Durable || d.Options["mount options"] == "" {
			t.Errorf("%s: %+v", path, d)
		}
	}
}

func TestPlace(t *testing.T) {
	for path, want := range map[string]storage.Place{
		directory.Disk: {}, directory.Memory: {Path: "/dev/shm", InMemory: true}, "/srv/data/": {Path: "/srv/data"},
	} {
		if got := (directory.Kind{}).Place(&directory.Parameters{Path: path}); got != want {
			t.Errorf("path %q: %+v, want %+v", path, got, want)
		}
	}
}
