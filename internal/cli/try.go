package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/campaign"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/study/templates"
	"plimsoll/internal/text/words"
)

type tryOptions struct {
	limit     string
	analytics bool
	verbose   bool
}

func newTry(s *State) *cobra.Command {
	o := &tryOptions{}
	cmd := &cobra.Command{
		Use:   "try PATH",
		Short: "Give a first answer for a directory, without a study file",
		Long: `Try writes and runs small studies of the storage below PATH, in about two minutes:
small and large blocks (latency, MB/s), large files and, where a database server
is installed, small databases. It prints what came out, its grade, the reports, and
the study files to go on with. With --analytics it also runs queries derived from
TPC-DS, answered by DuckDB from Parquet files; DuckDB and the queries are downloaded
the first time.

What is too slow follows from the medium for small blocks (1ms in memory to 30ms on
rotating disks) and is 200ms for databases, unless --limit says otherwise.

Everything that lasts is in PATH/runs; nothing else below PATH is touched. What an
interrupted or killed try left is removed by the next one, or by plimsoll clean
--runs PATH/runs.

Exit codes: 0 done; 2 PATH cannot be used; 3 there is not enough space or memory;
4 some trials failed; 130 interrupted.`,
		Example: "  plimsoll try /mnt/fast\n  plimsoll try . --limit 50ms\n  plimsoll try /mnt/fast --analytics",
		Args:    exactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return s.try(o, args[0]) },
	}
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	cmd.Flags().StringVar(&o.limit, "limit", "", "what is too slow: a time that 95 % must keep, or \"p99 <= 1s\" (default by the medium)")
	cmd.Flags().BoolVar(&o.analytics, "analytics", false, "run analytical queries, too: a minute more, and a download the first time")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "log every step")
	return cmd
}

// tried is what came out of one study of a first answer.
type tried struct {
	Study   string              `json:"study"` // the file to go on with
	Report  string              `json:"report"`
	Verdict []analysis.Sentence `json:"verdict"`
	Failed  string              `json:"failed,omitempty"` // why there is no answer

	analysis *analysis.Analysis
	err      error
	further  string // the setting to go on with
}

func (s *State) try(o *tryOptions, path string) error {
	if o.limit != "" {
		if err := templates.CheckLimit(o.limit); err != nil {
			return usage(fmt.Errorf("--limit: %w", err))
		}
	}
	place, err := lookAt(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(place.runs, 0o755); err != nil {
		return fmt.Errorf("try: %w", err)
	}
	defer os.Remove(place.runs) // where nothing was kept in it
	if err := s.clearTries(place.runs); err != nil {
		return err
	}
	first := templates.FirstAnswer{Path: place.path, Runs: place.runs, Limit: o.limit, Medium: place.medium()}
	note := ""
	if first.Engine, note = s.engineFor(place); note != "" {
		place.notes = append(place.notes, note)
	}
	if first.Analytics = o.analytics && place.closed() == ""; first.Analytics != o.analytics {
		place.notes = append(place.notes, "without analytical queries, for the same reason")
	}
	s.introduce(place)
	s.complain("  I/Os of 4 KiB are to keep %s (--limit changes it)", first.BlockObjective())
	began := time.Now()
	var all []tried
	for _, part := range first.Parts() {
		t := s.tryPart(o, place, part)
		if t.err != nil && (errors.Is(t.err, s.Context.Err()) || s.Context.Err() != nil) {
			return t.err
		}
		all = append(all, t)
	}
	if err := s.printTried(place, all, time.Since(began)); err != nil {
		return err
	}
	for _, t := range all {
		if t.err != nil {
			return silent(exitCode(t.err))
		}
	}
	return nil
}

// A place is a directory that is to be tried.
type place struct {
	path, runs string
	mount      mounts.Mount
	space      mounts.Space
	notes      []string // what to know about it
}

// leastSpace is what the studies need.
const leastSpace = 1 << 30

// networks are types of file systems whose medium is another machine's.
var networks = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs", "lustre", "gpfs", "beegfs", "afs"}

// lookAt says what a directory is, and refuses what cannot be tried.
func lookAt(path string) (p place, err error) {
	p.path = absolute(path)
	info, err := os.Stat(p.path)
	switch {
	case strings.IndexFunc(p.path, unicode.IsControl) >= 0:
		return p, usage(fmt.Errorf("try: the path %q has control characters", path))
	case errors.Is(err, fs.ErrNotExist):
		return p, codedError{fmt.Errorf("try: %s does not exist", path), exitUsage, "give a directory on the storage that is to be measured"}
	case err != nil:
		return p, usage(fmt.Errorf("try: %w", err))
	case !info.IsDir():
		return p, codedError{fmt.Errorf("try: %s is not a directory", path), exitUsage, "give a directory on the storage; for a raw device see docs/storage/device.md"}
	}
	if p.path, err = filepath.EvalSymlinks(p.path); err != nil {
		return p, usage(fmt.Errorf("try: %w", err))
	}
	p.runs = filepath.Join(p.path, "runs")
	if info, err := os.Lstat(p.runs); err == nil && !info.IsDir() {
		return p, usage(fmt.Errorf("try: %s is in the way: results go into a directory of that name", p.runs))
	}
	if err := machine.Writable(p.runs); err != nil {
		return p, codedError{fmt.Errorf("try: %s cannot be written to: %w", p.path, err), exitUsage, "run it as a user who may write there, or make a directory for it"}
	}
	if p.mount, err = mounts.Find(p.path); err != nil {
		return p, err
	}
	if p.space, err = mounts.SpaceOf(p.path); err != nil {
		return p, err
	}
	if p.space.Free < leastSpace {
		return p, cannotRun(fmt.Errorf("try: %s has %s free; %s is needed", p.path, words.Binary(p.space.Free), words.Binary(leastSpace)), "make room, or give another directory")
	}
	p.look()
	return p, nil
}

// look notes what readers of the figures must know.
func (p *place) look() {
	switch {
	case p.mount.InMemory():
		p.notes = append(p.notes, "this is memory ("+p.mount.Type+"), not a disk: nothing in it survives a restart, and a flush costs nothing")
	case strings.HasPrefix(p.mount.Type, "fuse"):
		p.notes = append(p.notes, fmt.Sprintf("this is a file system in user space (%s, %s): its program, and the network if it uses one, are measured with it", p.mount.Type, p.mount.Source))
	case slices.Contains(networks, p.mount.Type):
		p.notes = append(p.notes, fmt.Sprintf("this is a network file system (%s, %s): the network, its server and other clients are measured with it", p.mount.Type, p.mount.Source))
	}
}

// medium returns the kind of device under the directory, as far as the kernel knows it.
func (p *place) medium() templates.Medium {
	devices := p.mount.Devices()
	switch {
	case p.mount.InMemory():
		return templates.InMemory
	case len(devices) == 0 || slices.Contains(networks, p.mount.Type) || strings.HasPrefix(p.mount.Type, "fuse"):
		return templates.Remote
	case slices.ContainsFunc(devices, mounts.Virtual):
		return templates.Virtual
	case slices.ContainsFunc(devices, mounts.Rotates):
		return templates.Rotating
	}
	return templates.Flash
}

func (s *State) introduce(p place) {
	s.complain("%s: %s on %s, %s free", p.path, p.mount.Type, p.mount.Source, words.Binary(p.space.Free))
	for _, n := range p.notes {
		s.complain("  %s", n)
	}
}

// engineFor is the installed database whose servers can reach the place, or why there
// is none.
func (s *State) engineFor(p place) (name, note string) {
	if dir := p.closed(); dir != "" {
		return "", fmt.Sprintf("without databases: servers run as a user of their own, who may not enter %s", dir)
	}
	for _, name := range templates.Databases() {
		if _, err := engines()[name].Find(s.Context, "", false); err == nil {
			return name, ""
		}
	}
	return "", "without databases: no server is installed (" + strings.Join(templates.Databases(), ", ") + ")"
}

// closed is the outermost directory on the way that other users may not enter, where
// that matters.
func (p place) closed() (dir string) {
	if os.Geteuid() != 0 {
		return "" // servers run as the same user
	}
	for at := p.path; at != "/"; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && info.Mode().Perm()&0o001 == 0 {
			dir = at
		}
	}
	return dir
}

// tryCache is below the runs, so that nothing is written elsewhere.
const tryCache = ".cache"

// clearTries removes what earlier tries left when they were killed.
func (s *State) clearTries(runs string) error {
	entries, err := untrusted.ReadDir(runs)
	if err != nil {
		return err
	}
	for _, e := range entries {
		dir := filepath.Join(runs, e.Name())
		if !strings.Contains(e.Name(), "-try-") || !exists(filepath.Join(dir, result.JournalFile)) {
			continue
		}
		c, err := s.cleanRun(dir, false)
		switch {
		case err != nil:
			return err
		case c.Busy:
			return busy(fmt.Errorf("%s is in progress", c.Run))
		case len(c.Failed)+len(c.Left) > 0:
			return codedError{fmt.Errorf("an earlier try left what could not be removed: %s", strings.Join(append(c.Failed, c.Left...), "; ")), exitLeft, "plimsoll clean " + words.Shell(c.Run)}
		}
	}
	return os.RemoveAll(filepath.Join(runs, tryCache))
}

// tryPart runs one of the studies.
func (s *State) tryPart(o *tryOptions, p place, part templates.Part) (t tried) {
	s.complain("%s", part.Title)
	options := &runOptions{
		runs: p.runs, work: p.runs, cache: filepath.Join(p.runs, tryCache), cacheLimit: 1,
		noFetch: !part.Fetch, errorLimit: 0.5, brief: true, verbose: o.verbose,
	}
	defer os.RemoveAll(options.cache)
	t.Failed, t.further = part.Title, part.Further
	if t.err = s.tryStudy(options, part, &t); t.err != nil {
		t.Failed = part.Title + ": " + t.err.Error()
		return t
	}
	t.Failed = ""
	return t
}

func (s *State) tryStudy(o *runOptions, part templates.Part, t *tried) error {
	parts := Parts()
	p, err := s.planText(s.Context, parts, o.studyOptions, part.Name+".yaml", part.Text, campaign.FetchNever)
	if err != nil {
		return err
	}
	r, err := s.readyRun(o, p, part.Text)
	if err != nil {
		return err
	}
	defer r.run.release()
	if err := s.execute(parts, o, r.options, nil); err != nil {
		return err
	}
	t.Study = filepath.Join(r.options.Dir, result.StudyFile)
	run, err := result.Open(r.options.Dir)
	if err != nil {
		return err
	}
	a, err := analysed(run, analysis.Options{}, named{})
	if a == nil {
		return err
	}
	t.analysis, t.Verdict, t.Report = a, a.Verdict, filepath.Join(r.options.Dir, result.ReportFile)
	if err := s.writePage(r.options.Dir, run, a); err != nil {
		return err
	}
	return verdictError(run, err)
}

func (s *State) printTried(p place, all []tried, took time.Duration) error {
	if s.JSON {
		return s.printJSON(map[string]any{"path": p.path, "notes": append([]string{}, p.notes...), "seconds": took.Seconds(), "studies": all})
	}
	s.printWrapped("\n%s, tried in %s", p.path, words.Span(took))
	for _, n := range p.notes {
		s.printWrapped("! %s", n)
	}
	for _, t := range all {
		fmt.Fprintln(s.Stdout)
		if t.Failed != "" {
			s.printWrapped("✗ %s", t.Failed)
			if hint := hintOf(t.err); hint != "" {
				s.printWrapped("  %s", hint)
			}
		}
		s.printOneTried(t)
	}
	last := all[len(all)-1]
	if last.Study == "" {
		return nil
	}
	s.printWrapped("\nThese are first answers, measured for seconds. Go on with:\n  plimsoll run %s --set %s\n  plimsoll study new --storage %s", words.Shell(last.Study), last.further, words.Shell(p.path))
	return nil
}

func (s *State) printOneTried(t tried) {
	if t.analysis == nil {
		return
	}
	s.printWrapped("%s", t.analysis.Study.Title)
	for _, v := range t.analysis.Variants {
		if line := bestLine(t.analysis, v); line != "" {
			s.printWrapped("  %s", line)
		}
	}
	for _, sentence := range t.Verdict {
		s.printWrapped("  ⦵ %s", report.Said(t.analysis, sentence.Text))
	}
	if grade := t.analysis.Grade; grade != "" {
		s.printWrapped("  grade %s: %s", grade, report.GradeText(t.analysis))
	}
	s.printWrapped("  report: %s\n  study:  %s", t.Report, t.Study)
}

// bestLine is the highest throughput of a variant, with its response time. There is one
// storage, which need not be named.
func bestLine(a *analysis.Analysis, v analysis.Variant) string {
	if len(v.Rungs) == 0 {
		return ""
	}
	best := slices.MaxFunc(v.Rungs, func(x, y rung.Rung) int { return int(x.Throughput.Value - y.Throughput.Value) })
	if best.Throughput.Value <= 0 {
		return ""
	}
	rate := words.Number(best.Throughput.Value) + " " + v.Work.Unit.Throughput
	if best.Payload.Value > 0 {
		rate += ", " + words.Number(best.Payload.Value) + " MB/s"
	}
	what := strings.TrimPrefix(strings.TrimPrefix(v.Label, v.Factors["storage"]), ", ")
	if what != "" {
		what += ": "
	}
	return fmt.Sprintf("%s%s with %s; %s", what, rate, words.Count(best.Instances, a.Study.Noun),
		words.ResponseTimes(best.Mean.Value, best.Percentile["p95"], best.Percentile["p99"]))
}
