package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/result"
)

// failure turns the error of a trial into its result. It keeps the logs of the trial's servers,
// including those that were filling a golden volume, and the cause names the copies by their
// paths below the run directory.
func (t *trial) failure(ctx context.Context, cause error) *result.Failure {
	kept, err := t.keepLogs(ctx)
	names := strings.NewReplacer(kept...)
	t.noteExclusions(names)
	f := failureOf(errors.Join(cause, err), t.stage)
	f.Cause = names.Replace(f.Cause)
	explain(f, t.full)
	return f
}

// keepAside writes into the result of a trial that passed which instances were set aside,
// and keeps the logs that say why.
func (t *trial) keepAside(ctx context.Context) {
	if len(t.gone()) == 0 {
		return
	}
	kept, err := t.keepLogs(ctx)
	if err != nil {
		t.note("logs of servers are missing: " + err.Error())
	}
	t.noteExclusions(strings.NewReplacer(kept...))
}

// keepLogs copies the logs that servers and tasks wrote since the trial began.
// It returns pairs: the platform's name of a log, and where the copy lies.
// Trials run one by one, so all of it is the trial's.
func (t *trial) keepLogs(ctx context.Context) (names []string, err error) {
	logs, err := t.Platform.Logs(ctx, t.result.Begun)
	if err != nil {
		return nil, fmt.Errorf("keep the logs of servers: %w", err)
	}
	below := result.TrialDir("", t.plan.ID) + "/" + result.LogsDir + "/"
	var errs []error
	for _, l := range logs {
		name := strings.TrimPrefix(l.Name, t.prefix())
		names = append(names, l.Name, below+name)
		errs = append(errs, instance.KeepLog(ctx, l.Open, filepath.Join(t.files.Logs(), name)))
	}
	return names, errors.Join(errs...)
}
