package result_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/result"
)

// Records that have no checksum, as those of earlier versions, are known to be cut where they do not
// end with the end of a driver. None at all may never have been kept.
func TestRecordsWithoutAChecksumThatAreCut(t *testing.T) {
	const (
		operation = `{"kind":"operation","driver":"driver-0","second":1,"operation":"order","count":10}` + "\n"
		end       = `{"kind":"end","driver":"driver-0","second":2}` + "\n"
	)
	for name, c := range map[string]struct {
		text    string
		status  result.Status
		damage  []string
		problem bool
	}{
		"whole":                    {operation + end, result.Passed, nil, false},
		"without the last newline": {operation + strings.TrimSpace(end), result.Passed, nil, false},
		"cut in a line":            {operation + end[:20], result.Passed, nil, true},
		"cut after a line":         {operation, result.Passed, nil, true},
		"empty":                    {"", result.Passed, nil, true},
		"of a trial that failed":   {operation, result.Failed, nil, false},
		"known to be damaged":      {operation, result.Passed, []string{"line 2: not a record"}, false},
		"none":                     {"-", result.Passed, nil, false},
	} {
		dir, _ := newRun(t)
		path := filepath.Join(dir, result.TrialsDir, "ssd", "1", "1", result.RecordsFile)
		if c.text != "-" {
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run, err := result.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		trial := run.Trials[0]
		trial.Status, trial.Damage = c.status, c.damage
		delete(trial.Checksums, result.RecordsFile)
		problems := run.Lost(trial, nil)
		if len(problems) > 0 != c.problem || c.problem && (problems[0].File != result.RecordsFile || !strings.Contains(problems[0].Reason, "is cut")) {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}

// The journal of a received run names trials, which are told: not with what terminals obey.
func TestNamesOfTheJournalGiveNoCommands(t *testing.T) {
	dir, _ := newRun(t)
	f, err := os.OpenFile(filepath.Join(dir, result.JournalFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"at":"2026-03-01T12:00:00Z","act":"note","event":"trial-finished","detail":{"trial":"a\u001b[31m\u202eb"}}` + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if ids, known := run.Finished(); !known || len(ids) == 0 || strings.ContainsAny(strings.Join(ids, ""), "\x1b\u202e") {
		t.Errorf("%q, %v", ids, known)
	}
}

// Whatever the umask, nobody else can write what a driver measures.
func TestRecordsAreTheirOwnersAlone(t *testing.T) {
	_, w := newRun(t)
	defer syscall.Umask(syscall.Umask(0))
	files, err := w.Trial("ssd/1/2")
	if err != nil {
		t.Fatal(err)
	}
	records, err := files.Records("driver-0")
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	err = filepath.WalkDir(filepath.Join(w.Dir(), result.TrialsDir, "ssd", "1", "2"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
