package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/internal/result"
)

// serverLogs is where the platform writes the logs of servers. It is removed
// with the scratch directory.
func (c *Campaign) serverLogs() string { return filepath.Join(c.o.Scratch, "logs") }

// failure is what becomes of the trial's error: the logs of its servers are kept
// with the trial, those of a golden volume in the making included, and the cause
// names the copies by their places below the run directory.
func (t *trial) failure(cause error) *result.Failure {
	f := failureOf(errors.Join(cause, t.keepLogs()), t.stage)
	kept := result.TrialDir("", t.plan.ID) + "/" + result.LogsDir + "/"
	at := t.c.serverLogs() + "/"
	f.Cause = strings.NewReplacer(at+t.prefix(), kept, at, kept).Replace(f.Cause)
	return f
}

// prefix is that of the names of the trial's servers, which its own directory
// makes superfluous.
func (t *trial) prefix() string { return fmt.Sprintf("t%d-", t.plan.Position) }

// keepLogs copies what servers wrote since the trial began. Trials run one by
// one, so all of it is the trial's.
func (t *trial) keepLogs() error {
	entries, err := os.ReadDir(t.c.serverLogs())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var errs []error
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && !info.ModTime().Before(t.result.Begun) {
			errs = append(errs, keepLog(filepath.Join(t.c.serverLogs(), e.Name()), filepath.Join(t.files.Logs(), strings.TrimPrefix(e.Name(), t.prefix()))))
		}
	}
	return errors.Join(err, errors.Join(errs...))
}

// keepLog copies a server's log; one that never wrote any has none.
func keepLog(from, to string) error {
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep a server's log: %w", err)
	}
	return nil
}
