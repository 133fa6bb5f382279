package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/host/caught"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/text/inrange"
)

// RunInfo is one line of a list of runs.
type RunInfo struct {
	Name    string    `json:"name"` // of the directory
	Dir     string    `json:"dir"`
	Study   string    `json:"study,omitempty"`
	Profile string    `json:"profile,omitempty"`
	Started time.Time `json:"started"`
	Done    int       `json:"done"`    // trials with a result
	Planned int       `json:"planned"` // trials in the plan, 0 when a search chooses them as it goes
	// Finished reports that every planned trial has a result, or that the search
	// came to its end.
	Finished bool `json:"finished"`
	// Problem says why the run cannot be listed whole.
	Problem string `json:"problem,omitempty"`
}

// State is the run's state in a word or two.
func (r RunInfo) State() string {
	switch {
	case r.Problem != "":
		return "damaged: " + r.Problem
	case r.Finished:
		return "finished"
	}
	return "unfinished"
}

// List finds the runs in a directory, the newest first. A directory that does
// not exist holds none.
func List(runsDir string) ([]RunInfo, error) {
	entries, err := untrusted.ReadDir(runsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var runs []RunInfo
	for _, e := range entries {
		if info, ok := Info(filepath.Join(runsDir, e.Name())); ok {
			runs = append(runs, info)
		}
	}
	slices.SortFunc(runs, func(a, b RunInfo) int {
		if c := b.Started.Compare(a.Started); c != 0 {
			return c
		}
		return strings.Compare(b.Name, a.Name)
	})
	return runs, nil
}

// Latest is the directory of the newest run.
func Latest(runsDir string) (string, error) {
	runs, err := List(runsDir)
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", fmt.Errorf("find the newest run: there are no runs in %s", runsDir)
	}
	return runs[0].Dir, nil
}

// Info looks at one directory without opening its trials. A directory
// without a plan is no run.
func Info(dir string) (RunInfo, bool) {
	file, err := os.Stat(filepath.Join(dir, PlanFile))
	if err != nil {
		return RunInfo{}, false
	}
	info := RunInfo{Name: filepath.Base(dir), Dir: dir, Started: file.ModTime()}
	if err := info.read(); err != nil {
		info.Problem = err.Error()
	}
	return info, true
}

// read reads what a line of a list says.
func (info *RunInfo) read() (err error) {
	defer caught.As("list run "+info.Name, &err)
	dir := info.Dir
	info.Started = started(dir, info.Started)
	p, err := ReadPlan(dir)
	if err != nil {
		return err
	}
	info.Planned = len(p.Trials)
	info.Study, info.Profile = p.Study.Name, p.Study.Profile
	info.Done = finishedTrials(dir)
	info.Finished = info.Planned > 0 && info.Done >= info.Planned
	if p.Study.Ladder.Auto {
		info.Planned, info.Finished = 0, ended(dir)
	}
	return nil
}

// ended reports whether the campaign noted its end.
func ended(dir string) bool {
	f, err := untrusted.Open(dir, JournalFile, untrusted.MostJournal)
	if err != nil {
		return false
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false
	}
	const entryBytes = 4 << 10 // notes are shorter
	tail, err := io.ReadAll(io.NewSectionReader(f, max(0, size-entryBytes), entryBytes))
	lines := bytes.Split(bytes.TrimSpace(tail), []byte{'\n'})
	var last journal.Entry
	return err == nil && json.Unmarshal(lines[len(lines)-1], &last) == nil && last.Event == "run-finished"
}

// started is the time of the journal's first entry. Without one it is when the
// plan was written, which a copy of the directory may have changed.
func started(dir string, written time.Time) time.Time {
	f, err := untrusted.Open(dir, JournalFile, untrusted.MostJournal)
	if err != nil {
		return written
	}
	defer f.Close()
	first, err := bufio.NewReader(io.LimitReader(f, 64<<10)).ReadBytes('\n')
	var entry journal.Entry
	if err != nil || json.Unmarshal(first, &entry) != nil || entry.At.IsZero() || inrange.Check(entry) != nil {
		return written
	}
	return entry.At
}

// finishedTrials counts trials with a result; further attempts at one
// (<repetition>.2) are no trials that a plan has.
func finishedTrials(dir string) int {
	files := below(dir, TrialsDir, "*", "*", "*", TrialFile)
	return len(slices.DeleteFunc(files, func(file string) bool {
		return strings.Contains(filepath.Base(filepath.Dir(file)), ".")
	}))
}
