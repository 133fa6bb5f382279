package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kinds are the types of changes in the order in which a version lists them.
var kinds = []string{"Added", "Changed", "Fixed", "Security"}

// mostChanges and longestChange (in characters) are what somebody reads of a version; the history
// of the repository has the rest.
const (
	mostChanges   = 30
	longestChange = 400
)

// unreleased is the folder of changes that no version has yet.
const unreleased = "unreleased"

// collect gives the text of CHANGELOG.md: the versions, newest first, with their
// changes by kind. The error joins all files that are not one short line of a known
// kind, and the versions with more changes than a reader takes in.
func collect(changelog fs.FS) (string, error) {
	versions, err := versionsOf(changelog)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString("# Changelog\n")
	var errs []error
	for _, v := range versions {
		changes, err := changesOf(changelog, v)
		errs = append(errs, err)
		write(&text, v, changes)
	}
	return text.String(), errors.Join(errs...)
}

// versionsOf lists the folders of versions: unreleased changes first, then the newest version to
// the oldest.
func versionsOf(changelog fs.FS) (all []string, err error) {
	entries, err := fs.ReadDir(changelog, ".")
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, e.Name())
		}
	}
	slices.SortFunc(all, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
	return all, err
}

// numbers splits a version: 0 and 10 for 0.10. Unreleased changes sort above all versions.
func numbers(version string) (all []int) {
	if version == unreleased {
		return []int{1 << 30}
	}
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}

// changesOf reads the changes of a version by kind, in the order of their files' names.
func changesOf(changelog fs.FS, version string) (map[string][]string, error) {
	files, err := fs.Glob(changelog, path.Join(version, "*.md"))
	errs := []error{err}
	if len(files) > mostChanges {
		errs = append(errs, fmt.Errorf("changelog/%s has %d changes, and a version lists %d at most: join some that belong to one topic", version, len(files), mostChanges))
	}
	all := map[string][]string{}
	for _, f := range files {
		content, err := fs.ReadFile(changelog, f)
		kind, change, ok := strings.Cut(strings.TrimSuffix(string(content), "\n"), ": ")
		if ok = ok && slices.Contains(kinds, kind) && !strings.Contains(change, "\n"); err == nil && !ok {
			err = fmt.Errorf("%s: want one line, such as \"Fixed: …\", that begins with one of %s", f, strings.Join(kinds, ", "))
		}
		if length := utf8.RuneCountInString(change); length > longestChange {
			errs = append(errs, fmt.Errorf("%s has %d characters, and a change has %d at most: say what a user does differently", f, length, longestChange))
		}
		errs = append(errs, err)
		all[kind] = append(all[kind], change)
	}
	return all, errors.Join(errs...)
}

func write(text *strings.Builder, version string, changes map[string][]string) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintf(text, "\n## %s%s\n", strings.ToUpper(version[:1]), version[1:])
	for _, kind := range kinds {
		if len(changes[kind]) == 0 {
			continue
		}
		fmt.Fprintf(text, "\n### %s\n\n", kind)
		for _, c := range changes[kind] {
			fmt.Fprintf(text, "- %s\n", c)
		}
	}
}
