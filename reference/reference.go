// Package reference holds published results as data, each with its citation: one YAML file
// for each study of the source documents. A set opens as a run, so that the code that
// judges and draws our own results also handles published ones. Published figures are
// means: there are no percentiles, no single repetitions and no telemetry, and missing
// figures stay missing.
package reference

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"plimsoll/internal/result"
)

//go:embed *.yaml
var files embed.FS

// Prefix marks a reference where a run directory is expected:
// "reference/cns-ds2".
const Prefix = "reference/"

// Names lists the sets.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil // the embedded directory is always there
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Open returns a set as a run. name is "cns-ds2" or "reference/cns-ds2".
func Open(name string) (*result.Run, error) {
	set, err := Get(name)
	if err != nil {
		return nil, err
	}
	return set.Run()
}

// Get reads a set with its citation and the conclusions of its authors.
func Get(name string) (*Set, error) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, Prefix), "/")
	data, err := files.ReadFile(path.Clean(name) + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("open reference %q: there is none of that name; known: %s", name, strings.Join(Names(), ", "))
	}
	return Parse(name+".yaml", data)
}
