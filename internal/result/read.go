package result

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"plimsoll/internal/host/caught"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/inrange"
	"plimsoll/internal/text/sanitize"
)

// Open reads a run directory. It is an error only when there is nothing of a
// run in it; files that are damaged, missing or at odds with each other become
// Problems and the rest is read.
func Open(dir string) (*Run, error) { return open(context.Background(), dir, math.MaxInt64) }

// OpenLean reads a run directory as Open does, but keeps little of trials, as Shed leaves them,
// when it has read so many bytes of trial.json that a run of thousands would not fit into memory.
// Run.Whole reads one again.
func OpenLean(dir string) (*Run, error) { return OpenUntil(context.Background(), dir) }

// OpenUntil reads a run directory as OpenLean does. When the context ends, nothing of the run
// is read any more, by whomever: an analysis of it is over soon, and worth nothing.
func OpenUntil(ctx context.Context, dir string) (*Run, error) { return open(ctx, dir, mostWhole) }

// OpenWithin reads a run directory as OpenLean does, and keeps little of trials after so many
// bytes of trial.json.
func OpenWithin(dir string, bytes int64) (*Run, error) {
	return open(context.Background(), dir, bytes)
}

func open(ctx context.Context, dir string, room int64) (_ *Run, err error) {
	defer caught.As("open run "+dir, &err)
	r, err := begin(dir)
	if err != nil {
		return nil, err
	}
	r.room, r.ctx = room, ctx
	r.Machine = load[Machine](r, MachineFile)
	r.readTrials()
	if err := r.ended(); err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	return r, nil
}

// OpenTrial reads a run directory as Open does, but of its trials only one, which may be named
// as a member's; it has none where that is not finished. A run of thousands is not read for the
// sake of one.
func OpenTrial(dir, id string) (*Run, error) {
	r, err := begin(dir)
	if err != nil {
		return nil, err
	}
	if id = r.whole(id); safeID(id) {
		r.readTrialsOf([]string{id})
	}
	return r, nil
}

// whole is the identifier of the trial that a member's, or a whole trial's, belongs to.
func (r *Run) whole(id string) string {
	variant, rest, _ := strings.Cut(id, "/")
	if r.Plan == nil {
		return id
	}
	for _, v := range r.Plan.Variants {
		if slices.ContainsFunc(v.Tile(), func(own study.Variant) bool { return own.Title() == variant }) {
			return v.Name + "/" + rest
		}
	}
	return id
}

// begin reads of a run directory what does not grow with its trials.
func begin(dir string) (*Run, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open run %s: %w", dir, err)
	}
	r := &Run{Dir: dir, ID: filepath.Base(absolute)}
	if err := r.recognise(); err != nil {
		return nil, err
	}
	r.readPlan()
	return r, nil
}

// readPlan reads the plan, unless it contradicts itself.
func (r *Run) readPlan() {
	r.Plan = load[plan.Plan](r, PlanFile)
	if r.Plan == nil {
		return
	}
	if err := r.Plan.Check(); err != nil {
		r.problem(PlanFile, err)
		r.Plan = nil
	}
}

// recognise refuses a directory that holds nothing of a run.
func (r *Run) recognise() error {
	is, err := IsRun(r.Dir)
	if err != nil {
		return fmt.Errorf("open run %s: %w", r.Dir, err)
	}
	if !is {
		return fmt.Errorf("open run %s: it has neither %s nor %s/, so it is not a run directory; plimsoll list shows the runs", r.Dir, PlanFile, TrialsDir)
	}
	return nil
}

// IsRun reports whether a directory holds something of a run. The error says why it could
// not be looked into.
func IsRun(dir string) (bool, error) {
	entries, err := untrusted.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{PlanFile, TrialsDir, JournalFile}, e.Name())
	}), err
}

func (r *Run) problem(file string, err error) {
	r.Problems = append(r.Problems, Problem{File: file, Reason: reason(err)})
}

// reason describes the fault of a file in words, without its path, which the Problem has
// already.
func reason(err error) string {
	var syntax *json.SyntaxError
	var system *fs.PathError
	var telemetry telemetryError
	switch {
	case errors.As(err, &telemetry):
		return reason(telemetry.error)
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return "is cut short"
	case errors.As(err, &syntax):
		return fmt.Sprintf("is damaged at byte %d: %v", syntax.Offset, syntax)
	case errors.As(err, &system):
		return system.Err.Error()
	}
	return err.Error()
}

// load reads a JSON file of the run, or notes why it could not and gives nil.
func load[T any](r *Run, name string) *T {
	v, err := readJSON[T](r.Dir, name)
	if err != nil {
		r.problem(name, err)
		return nil
	}
	return v
}

// readJSON reads a JSON file of a run, which may have been received from
// anybody.
func readJSON[T any](dir, name string) (*T, error) {
	data, err := untrusted.Read(dir, name, untrusted.MostDocument)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // editors leave a byte-order mark
	if string(bytes.TrimSpace(data)) == "null" {
		return nil, errors.New("contains only null")
	}
	v := new(T)
	if err := json.Unmarshal(sanitize.JSON(data), v); err != nil {
		return nil, err
	}
	if err := inrange.Check(v); err != nil {
		return nil, err
	}
	return v, nil
}

// ReadPlan reads the plan of a run.
func ReadPlan(dir string) (*plan.Plan, error) {
	p, err := readJSON[plan.Plan](dir, PlanFile)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return nil, planError{err}
	}
	return p, nil
}

// planError describes the fault of a plan in words.
type planError struct{ error }

func (e planError) Error() string { return PlanFile + " " + reason(e.error) }
func (e planError) Unwrap() error { return e.error }

// ReadStudy reads the text of a run's study.
func ReadStudy(dir string) ([]byte, error) {
	return untrusted.Read(dir, StudyFile, untrusted.MostDocument)
}

// readTrials reads every trial.json, several at once.
func (r *Run) readTrials() { r.readTrialsOf(r.trialIDs()) }

func (r *Run) readTrialsOf(ids []string) {
	trials := make([][]*Trial, len(ids))
	errs := make([]error, len(ids))
	var read atomic.Int64 // bytes
	caught.Each(len(ids), func(i int) {
		if errs[i] = r.ended(); errs[i] != nil {
			return
		}
		trials[i], errs[i] = readTrials(r.Dir, ids[i])
		if r.room == math.MaxInt64 || read.Add(sizeOf(untrusted.Tree(TrialDir(r.Dir, ids[i])), TrialFile)) <= r.room {
			return
		}
		for n, t := range trials[i] {
			trials[i][n] = t.Shed()
		}
	})
	for i, id := range ids {
		switch {
		case errs[i] == nil:
			r.Trials = append(r.Trials, trials[i]...)
		case errors.Is(errs[i], fs.ErrNotExist):
			r.Unfinished = append(r.Unfinished, id)
		default:
			r.problem(filepath.ToSlash(filepath.Join(TrialsDir, id, TrialFile)), errs[i])
		}
	}
	slices.SortStableFunc(r.Trials, func(a, b *Trial) int { return a.Position - b.Position })
}

// trialIDs lists the directories three levels below trials/.
func (r *Run) trialIDs() []string {
	root := filepath.Join(r.Dir, TrialsDir)
	var ids []string
	for _, d := range below(root, "*", "*", "*") {
		id := filepath.ToSlash(strings.TrimPrefix(d, root+string(filepath.Separator)))
		if info, err := os.Stat(d); err == nil && info.IsDir() && safeID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// readTrials reads a trial of each member.
func readTrials(dir, id string) ([]*Trial, error) {
	tile, err := readTile(dir, id)
	if err != nil {
		return nil, err
	}
	return tile.check(id)
}

func readTile(dir, id string) (*Tile, error) {
	f, err := readJSON[tileFile](dir, path.Join(TrialsDir, id, TrialFile))
	if err != nil {
		return nil, err
	}
	return f.tile(), nil
}

// check gives the members' trials, but of one that contradicts itself: a figure drawn from it
// would mislead.
func (t *Tile) check(id string) ([]*Trial, error) {
	if err := t.checkWhole(id); err != nil {
		return nil, err
	}
	all := t.Trials()
	if len(all) == 0 {
		return nil, errors.New("has none of the members of its variant")
	}
	for _, one := range all {
		if err := errors.Join(one.checkOperations(), one.checkSetAside()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checkWhole checks what the members have in common.
func (t *Tile) checkWhole(id string) error {
	minutes := t.MeasureEnd.Sub(t.MeasureStart)
	switch {
	case t.Schema < oldestSchema:
		return fmt.Errorf("has schema version %d, which an early plimsoll wrote; this one reads versions from %d on: run the study again", t.Schema, oldestSchema)
	case t.Schema > SchemaVersion:
		return fmt.Errorf("has schema version %d, but this program supports up to %d; use a newer plimsoll", t.Schema, SchemaVersion)
	case t.ID != id:
		return fmt.Errorf("is of trial %q but is in the directory of %q", t.ID, id)
	case t.Rung < 1:
		return fmt.Errorf("must have at least 1 instance, got %d", t.Rung)
	case t.Repetition < 1:
		return fmt.Errorf("must have a repetition of at least 1, got %d", t.Repetition)
	case t.Status != Passed && t.Status != Failed:
		return fmt.Errorf("has unknown status %q, expected %s or %s", t.Status, Passed, Failed)
	case t.Status == Passed && minutes <= 0, minutes > maxSecond*time.Second:
		return fmt.Errorf("%s but its measured phase lasts %v", t.Status, minutes)
	}
	if t.Alone != "" && (t.Rung != 1 || slices.ContainsFunc(t.Members, func(m Member) bool { return m.Name != t.Alone })) {
		return fmt.Errorf("is of member %q alone, but says it had %d tiles or other members", t.Alone, t.Rung)
	}
	if s := t.Stonewalled; s != nil && (s.Seconds <= 0 || s.Count < 0 || s.Bytes < 0 || s.Users < 1 || s.UserSeconds < 0) {
		return fmt.Errorf("says that %d users finished fixed work, the first after %g s, and counts %d units and %d bytes until then", s.Users, s.Seconds, s.Count, s.Bytes)
	}
	return nil
}

func (t *Trial) checkOperations() error {
	for name, o := range t.Operations {
		if o.Count < 0 || o.RolledBack < 0 || o.Overdue < 0 {
			return fmt.Errorf("counts %d done, %d rolled back and %d overdue of operation %q", o.Count, o.RolledBack, o.Overdue, name)
		}
		if err := agree(o.Histogram, o.Count+o.RolledBack+o.Overdue); err != nil {
			return fmt.Errorf("operation %q %w", name, err)
		}
		if o.Mean < 0 || o.P50 > o.P99 || o.P99 > o.Max {
			return fmt.Errorf("has response times of operation %q that contradict each other (mean %g, p50 %g, p99 %g, max %g s)", name, o.Mean, o.P50, o.P99, o.Max)
		}
	}
	return nil
}

// Series reads a trial's telemetry: all of it, or only the given kinds or kind/metric
// pairs.
func (r *Run) Series(t *Trial, only ...string) ([]Series, error) {
	return gathered(r.EachSeries(t, only...))
}

// SeriesOf iterates over all of the telemetry of a trial by its identifier.
func (r *Run) SeriesOf(trialID string) iter.Seq2[Series, error] {
	if t := r.Trial(trialID); t != nil {
		return r.EachSeries(t)
	}
	return func(yield func(Series, error) bool) {
		yield(Series{}, fmt.Errorf("read the telemetry of trial %q: the run has no such trial", trialID))
	}
}

// Audit reads the audit of a trial's member.
func (r *Run) Audit(t *Trial) (*Audit, error) {
	if err := t.safe(); err != nil {
		return nil, fmt.Errorf("read an audit: %w", err)
	}
	a, err := readJSON[Audit](r.Dir, path.Join(t.place(), AuditFile))
	if err != nil {
		return nil, fmt.Errorf("read the audit of trial %s: %w", t.ID, err)
	}
	return a.of(t.Variant.Member), nil
}
