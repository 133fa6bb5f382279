package trial

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// logged is a platform with logs.
type logged struct {
	platform.Platform
	at map[string]time.Time // when each was written to
}

func (l logged) Logs(_ context.Context, since time.Time) (all []platform.Log, err error) {
	for name, at := range l.at {
		if !at.Before(since) {
			all = append(all, platform.Log{Name: name, Open: func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader("FATAL")), nil
			}})
		}
	}
	return all, nil
}

// The platform's logs go; those that a failure names stay with the trial.
func TestLogsOfAFailedTrialStayWithIt(t *testing.T) {
	dir, begun := t.TempDir(), time.Now().Add(-time.Hour)
	platform := logged{at: map[string]time.Time{
		"t7-db-000.log": begun.Add(time.Second), "golden-x-install.log": begun.Add(time.Second), "t6-db-000.log": begun.Add(-time.Minute),
	}}
	w, err := result.Create(dir, nil, &plan.Plan{}, result.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.Trial("ssd/1/2")
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{Env: &Env{Env: &instance.Env{Platform: platform}}, plan: plan.Trial{ID: "ssd/1/2", Position: 7}, files: files, result: &result.Tile{Trial: result.Trial{Begun: begun}}}

	f := tr.failure(t.Context(), errors.New("its logs t7-db-000.log and golden-x-install.log"))
	if want := "its logs trials/ssd/1/2/logs/db-000.log and trials/ssd/1/2/logs/golden-x-install.log"; f.Cause != want {
		t.Errorf("the cause is %q, want %q", f.Cause, want)
	}
	kept, err := os.ReadDir(files.Logs())
	if err != nil || len(kept) != 2 || kept[0].Name() != "db-000.log" || kept[1].Name() != "golden-x-install.log" {
		t.Errorf("kept %v (%v)", kept, err)
	}
}
