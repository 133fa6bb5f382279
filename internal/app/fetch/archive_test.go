package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// A known archive is unpacked, with nothing else left behind; another file is refused.
func TestArchive(t *testing.T) {
	file, err := os.ReadFile(archive(t, "top/bin/run", "top/text", "other"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	a := Archive{Digest: hex.EncodeToString(sum[:]), Prefix: "top/", Executable: isBin, Get: func(_ context.Context, into string) (string, error) {
		path := filepath.Join(into, "got.zip")
		return path, os.WriteFile(path, file, 0o600)
	}}
	into := t.TempDir()
	if err := a.Unpack(t.Context(), into); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir(into)
	if err != nil || len(all) != 2 || all[0].Name() != "bin" || all[1].Name() != "text" {
		t.Errorf("there are %v, %v", all, err)
	}
	a.Digest = hex.EncodeToString(make([]byte, sha256.Size))
	other := t.TempDir()
	if err := a.Unpack(t.Context(), other); err == nil {
		t.Error("another file was taken")
	}
	if all, _ := filepath.Glob(filepath.Join(other, "*", "*")); len(all) > 0 {
		t.Errorf("left: %v", all)
	}
}
