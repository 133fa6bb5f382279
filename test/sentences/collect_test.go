package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCurrent says when docs/contributing/sentences.md is not what the code has.
func TestCurrent(t *testing.T) {
	want, err := page("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/contributing/sentences.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/contributing/sentences.md is out of date: run make sentences\n%s", diff)
	}
}

// A function is listed with its comment and its formats; what is short is a part of another.
func TestAFunctionIsListed(t *testing.T) {
	dir := t.TempDir()
	source := "// Package x says things.\npackage x\n\n// carries states how many.\n//\n// Needs: a line.\nfunc (l *line) carries() string {\n\treturn say.F(\"`%s` carries %d of them\", l.name, l.n) + F(\"none\")\n}\n\nfunc silent() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := collect(dir)
	if err != nil || len(all) != 1 || len(all[0].all) != 1 {
		t.Fatal(all, err)
	}
	if text := all[0].text(); !strings.Contains(text, "### `line.carries`\n\ncarries states how many.\n\nNeeds: a line.\n\n- `` `%s` carries %d of them ``\n") || strings.Contains(text, "none") {
		t.Error(text)
	}
}
