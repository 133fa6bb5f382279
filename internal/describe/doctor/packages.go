package doctor

import (
	"slices"
	"strings"
)

// Packages are those that hold what a check looks for, as distributions name them: words
// with blanks between them.
type Packages struct {
	Debian, Fedora string
	// Then describes the steps that remain after the packages are installed; mostly empty.
	Then string
}

// And are both, each package once.
func (p Packages) And(more Packages) Packages {
	return Packages{Debian: joined(p.Debian, more.Debian, " "), Fedora: joined(p.Fedora, more.Fedora, " "), Then: strings.Trim(p.Then+"; "+more.Then, "; ")}
}

func joined(a, b, between string) string {
	var all []string
	for _, one := range strings.Fields(a + between + b) {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return strings.Join(all, between)
}

// Command is the command line that installs them here; none where the package manager is
// not one whose packages are known.
func (p Packages) Command() []string {
	for _, manager := range []struct{ program, packages string }{{"apt-get", p.Debian}, {"dnf", p.Fedora}} {
		if Lookup(manager.program) != "" {
			return append([]string{manager.program, "install"}, strings.Fields(manager.packages)...)
		}
	}
	return nil
}

// Install says how they are installed.
func (p Packages) Install() string {
	text := strings.Join(p.Command(), " ")
	if text == "" {
		text = "install the package " + p.Debian + " with this system's package manager"
	}
	if p.Then != "" {
		text += " (then: " + p.Then + ")"
	}
	return text
}

// Install says how a package is installed; Debian's name first, then Fedora's.
func Install(debian, fedora string) string {
	return Packages{Debian: debian, Fedora: fedora}.Install()
}
