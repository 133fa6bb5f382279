package docs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCalls: calls stand in text between backquotes and at the beginning of a line in blocks; the
// name of the program as an argument of another one is no call.
func TestCalls(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	text := "Run `plimsoll plan my.yaml --json`, or `bin/plimsoll list | head`; plimsoll clean is not marked.\n" +
		"```\n$ plimsoll run my.yaml   # a comment\nhelm install plimsoll deploy/helm\nPASSWORD=x plimsoll doctor > out\n```\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Calls(page, "plimsoll")
	if err != nil {
		t.Fatal(err)
	}
	want := []Command{{1, "plan my.yaml --json"}, {1, "list"}, {3, "run my.yaml"}, {5, "doctor"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
