package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/study/plan"
)

// Writer fills a run directory. Finished files are never changed. Different trials may be
// written concurrently.
type Writer struct{ dir string }

// Create makes a new run directory and writes study.yaml (as the user wrote
// it), machine.json and plan.json. It fails when the directory already holds a
// run, so that no result is ever overwritten.
func Create(dir string, studyText []byte, p *plan.Plan, m Machine) (*Writer, error) {
	if _, err := os.Stat(filepath.Join(dir, PlanFile)); err == nil {
		return nil, fmt.Errorf("create the run directory: %s already holds a run; choose another name, or continue it with --resume", dir)
	}
	if err := os.MkdirAll(filepath.Join(dir, TrialsDir), 0o755); err != nil {
		return nil, fmt.Errorf("create the run directory: %w", err)
	}
	// The plan comes last: with it the directory is a run.
	err := errors.Join(
		replace(filepath.Join(dir, StudyFile), writeBytes(studyText)),
		replaceJSON(filepath.Join(dir, MachineFile), m),
		replaceJSON(filepath.Join(dir, PlanFile), p))
	if err != nil {
		return nil, fmt.Errorf("create the run directory: %w", err)
	}
	return &Writer{dir: dir}, nil
}

// Continue opens the directory of a run that was interrupted.
func Continue(dir string) (*Writer, error) {
	if _, err := os.Stat(filepath.Join(dir, PlanFile)); err != nil {
		return nil, fmt.Errorf("continue a run: %s holds no %s: %w", dir, PlanFile, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, TrialsDir), 0o755); err != nil {
		return nil, fmt.Errorf("continue a run: %w", err)
	}
	return &Writer{dir: dir}, nil
}

// Dir is the run directory.
func (w *Writer) Dir() string { return w.dir }

// Finished reports whether a trial's result is there.
func (w *Writer) Finished(id string) bool {
	_, err := os.Stat(filepath.Join(TrialDir(w.dir, id), TrialFile))
	return err == nil
}

// Trial begins a trial's directory. What an unfinished attempt left in it is
// removed; a finished trial is refused.
func (w *Writer) Trial(id string) (*TrialWriter, error) {
	if !safeID(id) {
		return nil, fmt.Errorf("begin trial %q: an identifier is <variant>/<rung>/<repetition>", id)
	}
	if w.Finished(id) {
		return nil, fmt.Errorf("begin trial %s: it is finished and results are written once; remove %s to measure it again", id, TrialDir(w.dir, id))
	}
	dir := TrialDir(w.dir, id)
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("begin trial %s: remove what an unfinished attempt left: %w", id, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, LogsDir), 0o755); err != nil {
		return nil, fmt.Errorf("begin trial %s: %w", id, err)
	}
	return &TrialWriter{dir: dir, id: id}, nil
}

// TrialWriter fills the directory of one trial. Finish comes last: a directory
// without trial.json is an unfinished trial.
type TrialWriter struct {
	dir, id string
	drivers []string   // files of records, in the order of Records
	series  seriesFile // telemetry.parquet
}

// Dir is the trial's directory.
func (t *TrialWriter) Dir() string { return t.dir }

// Logs is the directory for the logs of servers and drivers.
func (t *TrialWriter) Logs() string { return filepath.Join(t.dir, LogsDir) }

// Evidence makes the directory for what an audit that failed was about, for
// this user alone: it holds a database and its password.
func (t *TrialWriter) Evidence() (string, error) {
	dir := filepath.Join(t.dir, EvidenceDir)
	return dir, os.MkdirAll(dir, 0o700)
}

// Merge merges what the drivers recorded, second by second, into operations.jsonl. All
// DriverRecords are closed.
func (t *TrialWriter) Merge() error {
	return replace(filepath.Join(t.dir, RecordsFile), func(f *os.File) error {
		return mergeRecordFiles(f, t.drivers)
	})
}

// Unmerged is how much the drivers have recorded so far, in bytes: Merge needs as much
// room again.
func (t *TrialWriter) Unmerged() (bytes int64) {
	for _, path := range t.drivers {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// RemoveMerged removes what was merged, after which nothing can be summed.
func (t *TrialWriter) RemoveMerged() error {
	return os.RemoveAll(filepath.Join(t.dir, driversDir))
}

// Sum sums what some drivers recorded as Collect does, apart on and off the bursts of
// others, or of the same, none is no bursts; and without instances that were set aside.
func (t *TrialWriter) Sum(start time.Time, whole string, drivers, bursty []string, without map[int]bool) (*Summary, error) {
	bursts, err := burstSeconds(t.filesOf(bursty))
	if err != nil {
		return nil, err
	}
	return collect(t.filesOf(drivers), start, whole, bursts, without)
}

// filesOf are the records of some drivers.
func (t *TrialWriter) filesOf(drivers []string) (files []string) {
	for _, path := range t.drivers {
		if slices.Contains(drivers, driverOf(path)) {
			files = append(files, path)
		}
	}
	return files
}

// Audit writes audit.json.
func (t *TrialWriter) Audit(a *Audit) error {
	return replaceJSON(filepath.Join(t.dir, AuditFile), a)
}

// Series appends complete series to telemetry.parquet. Only one row group is held in
// memory.
func (t *TrialWriter) Series(some []Series) error {
	return t.series.add(t.dir, some)
}

// Close gives up what Finish has not ended.
func (t *TrialWriter) Close() error { return t.series.abandon() }

// Finish ends telemetry.parquet and writes last trial.json, which makes the trial
// count. Numbers in the trial that are not finite are set to 0, because JSON
// cannot hold them.
func (t *TrialWriter) Finish(trial *Tile) error {
	if trial.ID != t.id {
		return fmt.Errorf("finish trial %s: the result is of trial %q", t.id, trial.ID)
	}
	if err := t.series.end(); err != nil {
		return err
	}
	trial.TelemetryChecksum = t.series.checksum
	var err error
	if trial.Checksums, err = checksums(t.dir); err != nil {
		return fmt.Errorf("finish trial %s: %w", t.id, err)
	}
	if err := os.RemoveAll(filepath.Join(t.dir, driversDir)); err != nil {
		return fmt.Errorf("finish trial %s: %w", t.id, err)
	}
	trial.Schema = SchemaVersion
	makeFinite(trial)
	return replaceJSON(filepath.Join(t.dir, TrialFile), trial)
}

func replaceJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return replace(path, writeBytes(append(data, '\n')))
}

func writeBytes(data []byte) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}
}

// replace writes a file so that after a crash it is there whole or not at all.
func replace(path string, fill func(*os.File) error) error {
	p, err := beginFile(path)
	if err != nil {
		return err
	}
	return p.end(fill(p.File))
}

// unfinishedFile is a file that gets its name when it is whole.
type unfinishedFile struct {
	*os.File
	path string
}

// beginFile begins one of that name.
func beginFile(path string) (unfinishedFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	return unfinishedFile{f, path}, naming(path, err)
}

// end names the file, unless filling it failed, and makes that durable.
func (p unfinishedFile) end(failed error) error {
	defer os.Remove(p.Name())
	err := errors.Join(failed, p.Chmod(0o644), p.Sync(), p.Close())
	if err == nil {
		err = os.Rename(p.Name(), p.path)
	}
	if err != nil {
		return naming(p.path, err)
	}
	return syncDir(filepath.Dir(p.path))
}

// naming says which file could not be written; nil of no error.
func naming(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", filepath.Base(path), mounts.NameFull(err, path))
}

// syncDir makes a rename durable.
func syncDir(dir string) error {
	d, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return errors.Join(d.Sync(), d.Close())
}
