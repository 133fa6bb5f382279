package images

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLibrariesAreReadFromLdd(t *testing.T) {
	const text = "\tlinux-vdso.so.1 (0x0)\n\tlibz.so.1 => /lib/x/libz.so.1 (0x1)\n\t/lib64/ld-linux-x86-64.so.2 (0x2)\n"
	found, err := resolved("program", text)
	if err != nil || !slices.Equal(found, []string{"/lib/x/libz.so.1", "/lib64/ld-linux-x86-64.so.2"}) {
		t.Errorf("libraries %v: %v", found, err)
	}
	if _, err := resolved("program", "\tlibz.so.1 => not found\n"); err == nil || !strings.Contains(err.Error(), "libz.so.1") {
		t.Errorf("a missing library: %v", err)
	}
}

// An archive is kept until one of its files changes, and replaced then.
func TestArchivesAreKept(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("1"), 0o755); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	first := archive(t, program, cache)
	if second := archive(t, program, cache); second != first {
		t.Errorf("the same image was made again: %s, %s", first, second)
	}
	if err := os.WriteFile(program, []byte("12"), 0o755); err != nil {
		t.Fatal(err)
	}
	if third := archive(t, program, cache); third == first {
		t.Error("an outdated image was used")
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) != 1 {
		t.Errorf("the cache holds %v: %v", left, err)
	}
}

func archive(t *testing.T, program, cache string) string {
	t.Helper()
	file, err := fromScratch("program", "1", program, "/program").Archive(cache)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
