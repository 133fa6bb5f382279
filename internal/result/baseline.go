package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"plimsoll/internal/host/untrusted"
)

// BaselineDir is where a run keeps a copy of its baseline run, the reference for its
// relative throughput: the plan and each trial's summary, below that run's name.
const BaselineDir = "baseline"

// KeepBaseline copies what reports need of a baseline into a run directory.
func KeepBaseline(dir string, baseline *Run) error {
	to := filepath.Join(dir, BaselineDir, baseline.ID)
	if err := os.MkdirAll(filepath.Join(to, TrialsDir), 0o755); err != nil {
		return fmt.Errorf("keep the baseline: %w", err)
	}
	var errs []error
	for _, t := range baseline.Tiles() {
		tile, err := baseline.tile(t)
		if err != nil {
			return fmt.Errorf("keep the baseline: %w", err)
		}
		place := TrialDir(to, t.ID)
		errs = append(errs, os.MkdirAll(place, 0o755), replaceJSON(filepath.Join(place, TrialFile), tile))
	}
	if baseline.Plan != nil {
		errs = append(errs, replaceJSON(filepath.Join(to, PlanFile), baseline.Plan))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("keep the baseline: %w", err)
	}
	return nil
}

// Baseline opens the baseline that a run directory keeps; nil where it has none. Links,
// which may lead elsewhere, are none.
func (r *Run) Baseline() (*Run, error) {
	dir := filepath.Join(r.Dir, BaselineDir)
	if is, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !is.IsDir() {
		return nil, nil
	}
	kept, err := untrusted.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open the baseline: %w", err)
	}
	for _, k := range kept {
		if k.IsDir() {
			return open(r.ctx, filepath.Join(dir, k.Name()), r.room)
		}
	}
	return nil, nil
}
