package volumes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Servers remove files while each is looked at.
func TestEachFilePassesOverThoseThatGo(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	err := EachFile(t.Context(), dir, func(f *os.File) error {
		seen = append(seen, filepath.Base(f.Name()))
		return os.RemoveAll(filepath.Join(dir, "b"))
	})
	if err != nil || !slices.Equal(seen, []string{"a", "c"}) {
		t.Errorf("%q, %v", seen, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := EachFile(ended, dir, func(*os.File) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
