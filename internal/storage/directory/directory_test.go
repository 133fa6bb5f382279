package directory_test

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/directory"
	"plimsoll/internal/storage/storagetest"
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
