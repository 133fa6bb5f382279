// Package rundir finds, opens and claims the run directories that a command line names.
package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
	"plimsoll/reference"
	"plimsoll/studies"
)

// Open opens the run that the arguments name: a directory, a published
// result, or the newest run.
func Open(runs string, args []string) (*result.Run, error) {
	return OpenWith(runs, args, result.Open)
}

// OpenLean opens a run as Open does, for an analysis.
func OpenLean(runs string, args []string) (*result.Run, error) {
	return OpenWith(runs, args, result.OpenLean)
}

// OpenWith opens a run as Open does, by a function that reads its directory.
func OpenWith(runs string, args []string, open func(dir string) (*result.Run, error)) (*result.Run, error) {
	if len(args) == 0 {
		if err := CheckRuns(runs); err != nil {
			return nil, err
		}
		dir, err := result.Latest(runs)
		if err != nil {
			return nil, command.WithCode(err, command.ExitUsage, "plimsoll demo makes one, and --runs DIRECTORY names where others are")
		}
		return open(dir)
	}
	if name, ok := strings.CutPrefix(args[0], "reference/"); ok && !command.Exists(args[0]) {
		run, err := reference.Open(name)
		if err != nil {
			return nil, command.WithCode(err, command.ExitUsage, strings.TrimSpace(command.DidYouMean(name, reference.Names())))
		}
		return run, nil
	}
	dir, err := Find(runs, args[0])
	if err != nil {
		return nil, err
	}
	return open(dir)
}

// Find returns the directory of a run, given its path or its name below runs. The error says
// what was found instead, and which run may have been meant.
func Find(runs, name string) (string, error) {
	below := filepath.Join(runs, name)
	for _, dir := range []string{name, below} {
		if is, err := result.IsRun(dir); is || errors.Is(err, fs.ErrPermission) {
			return dir, nil // reading the run reports the denied access
		}
	}
	if !command.Exists(name) && command.Exists(below) {
		name = below
	}
	found := insteadOfRun(name)
	if found == "" {
		found = "nothing is there"
		if filepath.Base(name) == name { // a name, and not a path
			found += ", nor at " + below
		}
	}
	return "", command.WithCode(fmt.Errorf("open run %s: %s", name, found), command.ExitUsage, meantRun(runs, name))
}

// insteadOfRun describes the thing at a path that is no run; it is empty if nothing is there.
func insteadOfRun(path string) string {
	entries, err := untrusted.ReadDir(path)
	switch {
	case !command.Exists(path):
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
	near := command.DidYouMean(filepath.Join(runs, filepath.Base(path)), Names(runs))
	if len(all) == 0 {
		return near + fmt.Sprintf("there are no runs in %s; plimsoll demo makes one, and --runs DIRECTORY names where others are", words.Shell(runs))
	}
	return near + fmt.Sprintf("the newest run is %s; plimsoll list --runs %s shows all", words.Shell(all[0].Dir), words.Shell(runs))
}

// runAround is the run that a path is in; empty where it is in none.
func runAround(path string) string {
	if !command.Exists(path) {
		return ""
	}
	for at, up := path, command.Absolute(path); up != filepath.Dir(up); {
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

// CheckRuns says why a path cannot be the directory that holds runs; nil where it can be, or
// may come to be.
func CheckRuns(path string) error {
	is, err := result.IsRun(path)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return command.WithCode(fmt.Errorf("find the runs: %s is a file, and runs are in a directory", path), command.ExitUsage, meantRun("runs", path))
	case is:
		return command.WithCode(fmt.Errorf("find the runs: %s is a run, and not a directory that holds some", path), command.ExitUsage,
			fmt.Sprintf("its report: plimsoll report %s; all runs are in %s", words.Shell(path), words.Shell(filepath.Join(path, ".."))))
	}
	return nil
}
