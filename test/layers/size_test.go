package layers

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// mostLines is below how many lines each package of analysis stays, comments included and
// tests not: more is a second purpose, which wants a package of its own.
const mostLines = 2200

func TestPackagesOfAnalysisAreSmall(t *testing.T) {
	lines := map[string]int{}
	sources(t, "../../internal/analysis", ".go", func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines[filepath.ToSlash(filepath.Dir(path))] += bytes.Count(text, []byte("\n"))
	})
	if len(lines) < 2 {
		t.Fatalf("only %d packages were found", len(lines))
	}
	for pkg, n := range lines {
		if n >= mostLines {
			t.Errorf("%s has %d lines: move what has a purpose of its own into a package, so that it stays below %d", pkg, n, mostLines)
		}
	}
}
