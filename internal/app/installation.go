package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/host/confine"
)

// Installation is an engine found on this machine or fetched for it.
type Installation struct {
	Engine  string `json:"engine"`
	Version string `json:"version"` // full: "15.18"
	Source  string `json:"source"`  // installed, embedded, image
	// Image is the reference of the image that it is part of, with the digest if
	// that is known.
	Image string            `json:"image,omitempty"`
	Paths map[string]string `json:"paths"` // program name -> path; none in a plan for servers that run elsewhere
	// Modules are parts of the program that an installation may lack, each with the
	// directive that loads it; none for one that is built in.
	Modules map[string]string `json:"modules,omitempty"`
}

// Is reports whether the installation has a version: any, a series (8.2) or an exact one.
func (in Installation) Is(version string) bool {
	return version == "" || in.Version == version || strings.HasPrefix(in.Version, version+".")
}

// Newest finds, among installed versions of a program, the newest that is wanted.
func Newest(found []Installation, version string) (Installation, bool) {
	all := newestFirst(found)
	at := slices.IndexFunc(all, func(in Installation) bool { return in.Is(version) })
	if at < 0 {
		return Installation{}, false
	}
	return all[at], true
}

// Older reports whether a version comes before another, number by number.
func Older(version, than string) bool { return compare(version, than) < 0 }

func compare(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

func newestFirst(found []Installation) []Installation {
	return slices.SortedStableFunc(slices.Values(found), func(a, b Installation) int { return compare(b.Version, a.Version) })
}

// numbers returns the numbers of a version; a part that is not a number is 0.
func numbers(version string) (all []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}

// Program is a program on a machine, wherever it is, that can report its version.
type Program interface {
	Files() []string
	VersionOf(ctx context.Context, file string) string
}

// Installed lists the installations of a server that is one program.
func Installed(ctx context.Context, engine, program string, p Program) (all []Installation) {
	for _, file := range p.Files() {
		all = append(all, Installation{Engine: engine, Source: "installed", Version: p.VersionOf(ctx, file), Paths: map[string]string{program: file}})
	}
	return all
}

// VersionOf runs a program that may have been downloaded, and so not as root, and takes from
// its output the version, the first group of the pattern.
func VersionOf(ctx context.Context, pattern *regexp.Regexp, program string, args ...string) (string, error) {
	out, err := confine.Run(ctx, confine.Program{Path: program, Args: args})
	if err != nil {
		return "", err
	}
	m := pattern.FindStringSubmatch(out.Text)
	if !out.OK || m == nil {
		return "", fmt.Errorf("%s %s gave no version, but %q", program, strings.Join(args, " "), strings.TrimSpace(out.Text))
	}
	return m[1], nil
}

// InDirectories looks for a program in directories. It calls inspect on each, and skips
// rejected directories and duplicates.
func InDirectories(dirs []string, program string, inspect func(dir string) (Installation, error)) (all []Installation) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		in, err := inspect(dir)
		if err != nil || seen[in.Paths[program]] {
			continue
		}
		seen[in.Paths[program]] = true
		all = append(all, in)
	}
	return all
}

// NotInstalled is the error for a product without an installation of the wanted version
// (any when empty). remedy is a clause with the way to get one.
func NotInstalled(product, version string, found []Installation, remedy string) error {
	if version != "" {
		product += " " + version
	}
	return fmt.Errorf("%s is not installed (found: %s): %s", product, versions(found), remedy)
}

// FetchableError reports that programs are not installed, and that Plimsoll can fetch them
// if permitted.
type FetchableError struct {
	Missing error        // what to say where it may not
	In      Installation // its installation afterwards, without Paths
	What    []string     // the same for people, with how large it is
}

// Error is the message for a machine where nothing may be fetched.
func (e *FetchableError) Error() string { return e.Missing.Error() }

// Unwrap returns the error about the missing programs.
func (e *FetchableError) Unwrap() error { return e.Missing }

// Fetchable joins the errors of the parts of an installation: all can be fetched, or else
// the others are why there is none. Nil is that no part is missing.
func Fetchable(in Installation, parts ...error) error {
	all := &FetchableError{Missing: errors.Join(parts...), In: in}
	var others error
	for _, err := range parts {
		var one *FetchableError
		if errors.As(err, &one) {
			all.What = append(all.What, one.What...)
		} else {
			others = errors.Join(others, err)
		}
	}
	if others != nil || all.Missing == nil {
		return others
	}
	return all
}

// versions lists what was found on a machine, newest first.
func versions(found []Installation) string {
	var names []string
	for _, in := range newestFirst(found) {
		names = append(names, in.Version)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
