package layers

import (
	"slices"
	"strings"
	"testing"
)

// fromFilesAlone lists the halls that decide whether a report can be made again from files alone;
// live lists the halls that run things.
var (
	fromFilesAlone = []string{"result", "analysis"}
	live           = []string{"client", "storage", "app", "workload", "platform", "campaign"}
)

// shared lists, for halls with one package a kind, the packages that kinds may import in addition
// to the hall's own.
var shared = map[string][]string{
	"app":      {"builtin", "fetch"},
	"storage":  {"directory", "disk", "medium", "nfs", "peers", "probe", "s3", "volumes"},
	"workload": {"distribution", "driver", "fileio", "mix", "objectio", "parallelio", "sqldb"},
}

func TestHallsLookDownAlone(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t) {
		from := HallOf(p.ImportPath)
		if from == "" {
			continue
		}
		seen[from] = true
		if Place(from) < 0 {
			t.Errorf("%s is in no hall: move it into one (docs/architecture.md), or give a new hall its place in test/layers", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			if why := forbidden(p.ImportPath, path); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, path, why)
			}
		}
	}
	for _, h := range Halls {
		if !seen[h.Name] {
			t.Errorf("there is no hall %s: remove its line", h.Name)
		}
	}
}

// forbidden says why a package may not import another; empty if it may.
func forbidden(pkg, imported string) string {
	from, to := HallOf(pkg), HallOf(imported)
	switch {
	case to == "":
		return ""
	case Place(to) > Place(from):
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

// kindOf is the directory of a kind within its hall; empty for the hall's own package.
func kindOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "plimsoll/internal/"), "/")
	if len(parts) == 1 {
		return ""
	}
	return parts[1]
}

// The root of analysis puts steps together; sentences are made in analysis/say.
func TestTheRootOfAnalysisMakesNoSentence(t *testing.T) {
	for _, p := range list(t) {
		if p.ImportPath == "plimsoll/internal/analysis" && slices.Contains(p.Imports, "fmt") {
			t.Error("the root of analysis imports fmt: make sentences in analysis/say")
		}
	}
}

func list(t *testing.T) []Package {
	t.Helper()
	all, err := Packages()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
