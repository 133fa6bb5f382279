package local

import (
	"path/filepath"
	"testing"
)

func TestSpaceIsThatOfTheFileSystem(t *testing.T) {
	dir := t.TempDir()
	there, err := Kind{}.Space(t.Context(), dir)
	if err != nil || there.Bytes <= 0 || there.ID == "" {
		t.Fatalf("%+v, %v", there, err)
	}
	later, err := Kind{}.Space(t.Context(), filepath.Join(dir, "not", "made", "yet"))
	if err != nil || later.ID != there.ID || later.Bytes <= 0 {
		t.Errorf("a directory that is yet to be made: %+v, %v", later, err)
	}
	if proc, err := (Kind{}).Space(t.Context(), "/proc"); err != nil || proc.ID == there.ID {
		t.Errorf("another file system: %+v, %v", proc, err)
	}
}
