// Package studies holds the study files that ship with Plimsoll, one for each
// experiment, embedded in the binary.
package studies

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names lists the shipped studies in alphabetical order.
func Names() []string {
	matches, _ := fs.Glob(files, "*.yaml") // the pattern is constant and valid
	names := make([]string, len(matches))
	for i, m := range matches {
		names[i] = strings.TrimSuffix(path.Base(m), ".yaml")
	}
	return names
}

// Read gives the text of a shipped study.
func Read(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no study named %q ships with Plimsoll; these do: %s", name, strings.Join(Names(), ", "))
	}
	return data, nil
}
