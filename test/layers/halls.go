// Package layers checks the shape of the code: that data flows one way between the
// halls below internal/, and rules that no linter has.
package layers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// Hall is a directory below internal/.
type Hall struct {
	Name    string
	Purpose string // in a few words
}

// Halls are all of them. A package imports packages of its own hall and of halls that stand
// before its own here; Go forbids circles within one.
var Halls = []Hall{
	{"text", "words, numbers, units"},
	{"describe", "vocabulary of kinds"},
	{"host", "files, processes, journal"},
	{"study", "study files and plans"},
	{"result", "run directories"},
	{"client", "protocols of servers"},
	{"storage", "kinds of storage"},
	{"app", "engines: real servers"},
	{"workload", "users and their driver"},
	{"platform", "where it all runs"},
	{"campaign", "carries out a plan"},
	{"analysis", "what a run means"},
	{"report", "what people read"},
	{"conformance", "suites for interfaces"},
	{"cli", "commands"},
}

// Place is where a hall stands among all, from 0; -1 for no hall.
func Place(name string) int {
	return slices.IndexFunc(Halls, func(h Hall) bool { return h.Name == name })
}

// HallOf is the hall of a package of the product; empty for programs, other modules, and helpers
// of tests, which are next to what they help to test and may see everything.
func HallOf(path string) string {
	rest, ours := strings.CutPrefix(path, "plimsoll/internal/")
	hall, _, _ := strings.Cut(rest, "/")
	if !ours || strings.HasSuffix(path, "test") && hall != "conformance" {
		return ""
	}
	return hall
}

// Package is a package of the module and its imports, without its tests.
type Package struct {
	ImportPath string
	Dir        string
	Imports    []string
}

// Packages lists the packages of the module.
func Packages() (all []Package, err error) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports", "plimsoll/...").Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p Package
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("list the packages: %w", err)
		}
		all = append(all, p)
	}
}
