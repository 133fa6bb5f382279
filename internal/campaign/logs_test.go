package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plimsoll/internal/plan"
	"plimsoll/internal/result"
)

// The scratch directory goes; the logs that a failure names stay with the trial.
func TestLogsOfAFailedTrialStayWithIt(t *testing.T) {
	scratch, dir := t.TempDir(), filepath.Join(t.TempDir(), "run")
	begun := time.Now().Add(-time.Hour)
	c := &Campaign{o: Options{Scratch: scratch}}
	w, err := result.Create(dir, nil, &plan.Plan{}, result.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.Trial("ssd/1/2")
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{c: c, plan: plan.Trial{ID: "ssd/1/2", Position: 7}, files: files, result: &result.Trial{Begun: begun}}
	writeLog(t, c, "t7-db-000.log", begun.Add(time.Second))
	writeLog(t, c, "golden-x-install.log", begun.Add(time.Second))
	writeLog(t, c, "t6-db-000.log", begun.Add(-time.Minute))

	at := c.serverLogs()
	f := tr.failure(errors.New("its logs " + at + "/t7-db-000.log and " + at + "/golden-x-install.log"))
	if want := "its logs trials/ssd/1/2/logs/db-000.log and trials/ssd/1/2/logs/golden-x-install.log"; f.Cause != want {
		t.Errorf("the cause is %q, want %q", f.Cause, want)
	}
	kept, err := os.ReadDir(files.Logs())
	if err != nil || len(kept) != 2 || kept[0].Name() != "db-000.log" || kept[1].Name() != "golden-x-install.log" {
		t.Errorf("kept %v (%v)", kept, err)
	}
}

func writeLog(t *testing.T, c *Campaign, name string, at time.Time) {
	t.Helper()
	path := filepath.Join(c.serverLogs(), name)
	if err := errors.Join(os.MkdirAll(c.serverLogs(), 0o755), os.WriteFile(path, []byte("FATAL"), 0o644), os.Chtimes(path, at, at)); err != nil {
		t.Fatal(err)
	}
}
