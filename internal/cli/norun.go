package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
	"plimsoll/studies"
)

// runDir returns the directory of a run, given its path or its name below runs. The error says
// what was found instead, and which run may have been meant.
func runDir(runs, name string) (string, error) {
	below := filepath.Join(runs, name)
	for _, dir := range []string{name, below} {
		if is, err := result.IsRun(dir); is || errors.Is(err, fs.ErrPermission) {
			return dir, nil // reading the run reports the denied access
		}
	}
	if !exists(name) && exists(below) {
		name = below
	}
	found := insteadOfRun(name)
	if found == "" {
		found = "nothing is there"
		if filepath.Base(name) == name { // a name, and not a path
			found += ", nor at " + below
		}
	}
	return "", codedError{fmt.Errorf("open run %s: %s", name, found), exitUsage, meantRun(runs, name)}
}

// insteadOfRun describes the thing at a path that is no run; it is empty if nothing is there.
func insteadOfRun(path string) string {
	entries, err := untrusted.ReadDir(path)
	switch {
	case !exists(path):
		return ""
	case errors.Is(err, syscall.ENOTDIR):
		return "it is a file, and a run is a directory"
	case err != nil:
		return err.Error()
	case len(entries) == 0:
		return "the directory is empty"
	}
	return fmt.Sprintf("it is no run: it has neither %s nor %s/", result.PlanFile, result.TrialsDir)
}

// meantRun says which run may have been meant by a path that is none, or how to come by one.
func meantRun(runs, path string) string {
	if dir := runAround(path); dir != "" {
		return "it is part of the run " + words.Shell(dir) + ": name that"
	}
	if in, _ := result.List(path); len(in) > 0 { // a path that cannot be listed holds none
		return fmt.Sprintf("it holds %s, the newest is %s; plimsoll list --runs %s shows them", words.Count(len(in), "run"), words.Shell(in[0].Dir), words.Shell(path))
	}
	all, _ := result.List(runs) // as above
	if of := studyNamed(path); of != "" {
		for _, r := range all {
			if r.Study == of {
				return fmt.Sprintf("it is a study, whose newest run is %s; to measure it again: plimsoll run %s", words.Shell(r.Dir), words.Shell(path))
			}
		}
		return "it is a study; to measure it: plimsoll run " + words.Shell(path)
	}
	near := didYouMean(filepath.Join(runs, filepath.Base(path)), runNames(runs))
	if len(all) == 0 {
		return near + fmt.Sprintf("there are no runs in %s; plimsoll demo makes one, and --runs DIRECTORY names where others are", words.Shell(runs))
	}
	return near + fmt.Sprintf("the newest run is %s; plimsoll list --runs %s shows all", words.Shell(all[0].Dir), words.Shell(runs))
}

// runAround is the run that a path is in; empty where it is in none.
func runAround(path string) string {
	if !exists(path) {
		return ""
	}
	for at, up := path, absolute(path); up != filepath.Dir(up); {
		at, up = filepath.Join(at, ".."), filepath.Dir(up)
		if is, _ := result.IsRun(at); is { // what cannot be read is none
			return at
		}
	}
	return ""
}

// studyNamed is the name of the study that a path leads to, or that is shipped under this
// name; empty where it is none.
func studyNamed(path string) string {
	text, err := untrusted.ReadNamed(path, untrusted.MostInput)
	if err != nil {
		text, _ = studies.Read(path) // no text has no name
	}
	return study.NameOf(text)
}

// notRuns says why a path cannot be the directory that holds runs; nil where it can be, or
// may come to be.
func notRuns(path string) error {
	is, err := result.IsRun(path)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return codedError{fmt.Errorf("find the runs: %s is a file, and runs are in a directory", path), exitUsage, meantRun("runs", path)}
	case is:
		return codedError{fmt.Errorf("find the runs: %s is a run, and not a directory that holds some", path), exitUsage,
			fmt.Sprintf("its report: plimsoll report %s; all runs are in %s", words.Shell(path), words.Shell(filepath.Join(path, "..")))}
	}
	return nil
}
