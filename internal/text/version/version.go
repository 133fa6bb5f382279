// Package version says which version of Plimsoll this program is.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Number is the version that this is, or that comes next; packages have it in their names.
const Number = "0.3.0"

// Info describes how a program was built.
type Info struct {
	// Version is Number, with the commit where that is known: 0.3.0+0123456789ab.
	Version string `json:"version"`
	// Commit identifies the sources, and Date is the commit's time (RFC 3339). Both are
	// empty for a program that was not built from a checkout.
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date,omitempty"`
	// Modified reports that the sources differed from the commit.
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`       // version of the compiler
	Platform string `json:"platform"` // system and architecture: linux/amd64
}

// Get is the version of this program.
func Get() string { return Read().Version }

// The linker sets these (-X, see packaging/build), because the compiler sees them only in a
// plain checkout and not in a worktree: the commit, its time (RFC 3339), and "true" if the
// sources differ from the commit.
var commit, date, modified string

// Read reads what the compiler and the linker have written into this program.
func Read() Info {
	settings := []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: date}, {Key: "vcs.modified", Value: modified}}
	if built, ok := debug.ReadBuildInfo(); ok {
		settings = append(settings, built.Settings...)
	}
	return infoOf(settings)
}

func infoOf(settings []debug.BuildSetting) Info {
	i := Info{Version: Number, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.time":
			i.Date = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	if i.Commit != "" {
		i.Version += "+" + i.Commit[:min(12, len(i.Commit))]
		if i.Modified {
			i.Version += ".modified"
		}
	}
	return i
}

// String is one line: version, commit and its day, compiler and platform.
func (i Info) String() string {
	made := "not built from a checkout"
	if i.Commit != "" {
		made = "commit " + i.Commit + " of " + cmp.Or(i.Date, "an unknown date")
	}
	if i.Modified {
		made += ", modified"
	}
	return Number + " (" + made + ") " + i.Go + " " + i.Platform
}
