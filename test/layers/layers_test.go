// Package layers checks the shape of the code: that data flows one way between the
// halls below internal/, and rules that no linter has.
package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// halls are the directories below internal/. A package imports packages of its own hall and
// of halls that stand before its own here; Go forbids circles within one.
var halls = []string{
	"text",        // words, numbers, units; what a terminal may show
	"describe",    // the vocabulary that kinds describe themselves in
	"host",        // the operating system: files, processes, cgroups, namespaces, journal
	"study",       // study files, and the plan made of one
	"result",      // run directories
	"client",      // protocols of servers
	"storage",     // kinds of storage, and what they share
	"app",         // engines: servers of applications
	"workload",    // workloads, and the driver that runs their users
	"platform",    // where it all runs: local, kubernetes
	"campaign",    // runs a plan
	"analysis",    // what a run means
	"report",      // what people read
	"conformance", // suites that every implementation of an interface passes
	"cli",         // commands
}

// fromFilesAlone are the halls that decide whether a report can be made again from files alone;
// live are those of what runs.
var (
	fromFilesAlone = []string{"result", "analysis"}
	live           = []string{"client", "storage", "app", "workload", "platform", "campaign"}
)

// shared are, in halls with one package a kind, the packages that kinds may import beside the
// hall's own.
var shared = map[string][]string{
	"app":      {"builtin", "fetch"},
	"storage":  {"directory", "disk", "medium", "nfs", "peers", "probe", "s3", "volumes"},
	"workload": {"distribution", "driver", "fileio", "mix", "objectio", "parallelio", "sqldb"},
}

func TestHallsLookDownAlone(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		from := hallOf(p.ImportPath)
		if from == "" {
			continue
		}
		seen[from] = true
		if !slices.Contains(halls, from) {
			t.Errorf("%s is in no hall: move it into one (docs/architecture.md), or give a new hall its place in test/layers", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			if why := forbidden(p.ImportPath, path); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, path, why)
			}
		}
	}
	for _, h := range halls {
		if !seen[h] {
			t.Errorf("there is no hall %s: remove its line", h)
		}
	}
}

// forbidden says why a package may not import another; empty if it may.
func forbidden(pkg, imported string) string {
	from, to := hallOf(pkg), hallOf(imported)
	switch {
	case to == "":
		return ""
	case slices.Index(halls, to) > slices.Index(halls, from):
		return to + " stands above " + from
	case slices.Contains(fromFilesAlone, from) && slices.Contains(live, to):
		return from + " is made of files alone, and " + to + " is live"
	case from == to && from != "":
		a, b := kindOf(pkg), kindOf(imported)
		if list, kinds := shared[from]; kinds && a != "" && b != "" && a != b && !slices.Contains(list, a) && !slices.Contains(list, b) {
			return "kinds import no other kind; what they share has a place of its own"
		}
	}
	return ""
}

func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		from, to string
		may      bool
	}{
		{"analysis/price", "study", true},
		{"analysis/price", "analysis/stats", true},
		{"study", "analysis/price", false},
		{"analysis", "platform/telemetry", false},
		{"report/live", "campaign", true},
		{"workload/mail", "workload", true},
		{"workload/mail", "workload/fileio", true},
		{"workload/mail", "workload/video", false},
		{"workload/tpcds", "app/fetch", true},
		{"app/nginx", "app/phpfpm", false},
		{"app/nginx", "workload", false},
		{"workload/dvdstore/web", "workload/dvdstore/pages", true},
	} {
		why := forbidden("plimsoll/internal/"+c.from, "plimsoll/internal/"+c.to)
		if (why == "") != c.may {
			t.Errorf("%s imports %s: %q", c.from, c.to, why)
		}
	}
}

// hallOf is the hall of a package of the product; empty for programs, other modules, and helpers
// of tests, which stand beside what they help to test and may see everything.
func hallOf(path string) string {
	rest, ours := strings.CutPrefix(path, "plimsoll/internal/")
	hall, _, _ := strings.Cut(rest, "/")
	if !ours || strings.HasSuffix(path, "test") && hall != "conformance" {
		return ""
	}
	return hall
}

// kindOf is the directory of a kind within its hall; empty for the hall's own package.
func kindOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "plimsoll/internal/"), "/")
	if len(parts) == 1 {
		return ""
	}
	return parts[1]
}

// The root of analysis puts steps together; sentences are made in analysis/answer.
func TestTheRootOfAnalysisMakesNoSentence(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "plimsoll/internal/analysis" && slices.Contains(p.Imports, "fmt") {
			t.Error("the root of analysis imports fmt: make sentences in analysis/answer")
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
