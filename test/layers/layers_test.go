// Package layers checks that data flows one way: no package imports one to its
// right in the order that the design gives.
package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// order lists the packages from left to right. A package may import what
// stands in an earlier line or in its own, and nothing later. Sub-packages
// follow the longest prefix.
var order = [][]string{
	{"internal/describe", "internal/doctor", "internal/printable", "internal/regular", "internal/skew", "internal/stamp", "internal/thread", "internal/mounts", "internal/task"},
	{"internal/words", "internal/namespace", "internal/journal", "internal/study", "studies"},
	{"internal/plan"},
	{"internal/workload", "internal/storage", "internal/volumes", "internal/clone", "internal/medium", "internal/fetch", "internal/cgroup", "internal/wire", "internal/aio", "internal/simnet", "internal/nfsmount"},
	{"internal/app", "internal/probe"},
	{"internal/result"},
	{"internal/telemetry", "internal/machine"},
	{"internal/platform", "internal/load", "internal/job"},
	{"internal/campaign", "internal/pools"},
	{"internal/analysis"},
	{"reference"},
	{"internal/report"},
	{"internal/cli"},
	{"cmd/plimsoll"},
}

func TestNoPackageImportsOneToItsRight(t *testing.T) {
	for _, p := range packages(t) {
		from := rank(p.ImportPath)
		if from < 0 {
			continue
		}
		for _, imported := range p.Imports {
			if to := rank(imported); to > from {
				t.Errorf("%s imports %s, which stands to its right", p.ImportPath, imported)
			}
		}
	}
}

func TestEveryInternalPackageHasAPlace(t *testing.T) {
	for _, p := range packages(t) {
		if strings.HasPrefix(p.ImportPath, "plimsoll/internal/") && !strings.HasSuffix(p.ImportPath, "test") && rank(p.ImportPath) < 0 {
			t.Errorf("%s has no place in the order; give it one", p.ImportPath)
		}
	}
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "plimsoll/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// rank gives the line of the longest prefix that names the package, -1 when
// none does. Conformance suites (…test) may use anything.
func rank(path string) int {
	path, ours := strings.CutPrefix(path, "plimsoll/")
	if !ours || strings.HasSuffix(path, "test") {
		return -1
	}
	best, longest := -1, 0
	for i, line := range order {
		for _, prefix := range line {
			if (path == prefix || strings.HasPrefix(path, prefix+"/")) && len(prefix) > longest {
				best, longest = i, len(prefix)
			}
		}
	}
	return best
}
