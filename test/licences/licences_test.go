// Package licences checks that everything that is built into the product or its tests
// may be used and passed on under terms that ask for no more than a notice.
package licences

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"

	"plimsoll/test/quick"
)

// permissive are the licences, by their SPDX identifiers, that a dependency may have.
var permissive = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
}

// unchanged are dependencies under the Mozilla Public License 2.0, whose terms are for
// their own files: we use them as they are.
var unchanged = []string{"github.com/go-sql-driver/mysql", "pgregory.net/rapid", "axe-core"}

// publicDomain are dependencies whose authors gave up all rights, in words that are no
// known text.
var publicDomain = []string{"github.com/xi2/xz"}

const mozilla = "MPL-2.0"

func allowed(name, licence string) bool {
	return slices.Contains(permissive, licence) || licence == mozilla && slices.Contains(unchanged, name)
}

// Every Go module with a package that is built or tested has a licence text of a known kind.
func TestGoModules(t *testing.T) {
	quick.Skip(t, quick.Commands)
	modules, err := modules()
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 20 {
		t.Errorf("go list names %d modules: %v", len(modules), modules)
	}
	for name, dir := range modules {
		found, err := licencesIn(dir)
		if err != nil || len(found) == 0 && !slices.Contains(publicDomain, name) {
			t.Errorf("%s: no licence was recognised in %s: %v", name, dir, err)
		}
		for _, licence := range found {
			if !allowed(name, licence) {
				t.Errorf("%s is under %s, which is not among those that a dependency may have", name, licence)
			}
		}
	}
}

// modules are the directories of the modules that packages and tests are built from.
func modules() (map[string]string, error) {
	list := exec.Command("go", "list", "-deps", "-test", "-json=Module", "./...")
	list.Dir = "../.."
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the dependencies: %w", err)
	}
	all := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Module *struct {
				Path, Dir string
				Main      bool
			}
		}
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case p.Module != nil && !p.Module.Main:
			all[p.Module.Path] = p.Module.Dir
		}
	}
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)(-.*|\.(md|txt|code))?$`)

// licencesIn returns the licences whose texts are in a module's directory.
func licencesIn(dir string) (found []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		for _, m := range licensecheck.Scan(text).Match {
			if !m.IsURL && !slices.Contains(found, m.ID) {
				found = append(found, m.ID)
			}
		}
	}
	return found, nil
}

// Every package of the page's lock file says a known licence.
func TestPackagesOfThePage(t *testing.T) {
	text, err := os.ReadFile("../../web/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ License string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	if len(lock.Packages) < 20 {
		t.Errorf("%d packages", len(lock.Packages))
	}
	for path, p := range lock.Packages {
		name := path[strings.LastIndex(path, "/node_modules/")+1:]
		name = strings.TrimPrefix(name, "node_modules/")
		if path != "" && !allowed(name, p.License) {
			t.Errorf("%s is under %q, which is not among those that a dependency may have", path, p.License)
		}
	}
}
