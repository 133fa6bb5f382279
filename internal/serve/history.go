package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
)

// Judge analyses a run as its report does.
type Judge func(*result.Run) (*analysis.Analysis, error)

// History serves the runs of a directory: a list, what each found, its report,
// and comparisons. Reports are made when they are asked for, from the results.
type History struct {
	dir   string
	root  *os.Root
	judge Judge
	busy  func(dir string) bool

	turn chan struct{}   // one page at a time is made: it takes the memory of a whole run
	made map[string]made // whoever has the turn may use it
}

// made is a summary, and what the run was like when it was made.
type made struct {
	of      string
	summary summary
}

// summary is what the list says of a run beside what result.List does.
type summary struct {
	Title      string              `json:"title"`
	Plimsoll   string              `json:"plimsoll"`
	Noun       string              `json:"noun"`
	Grade      string              `json:"grade"`
	Simulated  bool                `json:"simulated"`
	Reduced    bool                `json:"reduced"`
	Verdict    []analysis.Sentence `json:"verdict"`
	Objectives []string            `json:"objectives"`
	Lines      []line              `json:"lines"`
	Problem    string              `json:"problem,omitempty"`
}

// line is the load line of a variant.
type line struct {
	Variant  string            `json:"variant"`
	Label    string            `json:"label"`
	LoadLine analysis.LoadLine `json:"load_line"`
	Rungs    int               `json:"rungs"` // that were measured
}

// NewHistory opens a directory of runs. Busy says that a run goes on: its list
// entry says so, and it is analysed only when its report is opened.
func NewHistory(dir string, judge Judge, busy func(dir string) bool) (*History, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("serve the runs of %s: %w", dir, err)
	}
	return &History{dir: dir, root: root, judge: judge, busy: busy, turn: make(chan struct{}, 1), made: map[string]made{}}, nil
}

// Close closes the directory.
func (h *History) Close() error { return h.root.Close() }

// Register adds the pages to a Listener.
func (h *History) Register(to *Listener) {
	to.Handle("GET /{$}", http.HandlerFunc(h.page))
	to.Handle("GET /runs", http.HandlerFunc(h.list))
	to.Handle("GET /runs/{run}/summary", http.HandlerFunc(h.summary))
	to.Handle("GET /runs/{run}/report.html", http.HandlerFunc(h.report))
	to.Handle("GET /comparison.html", http.HandlerFunc(h.comparison))
}

// take waits for the turn to read and analyse runs; false when the reader left before.
func (h *History) take(ctx context.Context) bool {
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if ctx.Err() != nil { // both were so
		h.give()
		return false
	}
	return true
}

// inTime ends an answer whose reader does not take it: others wait for their turn.
func inTime(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pageLimit)) // a connection has one
}

// pageLimit is how long a reader may take to fetch a page.
const pageLimit = time.Minute

func (h *History) give() { <-h.turn }

func (h *History) page(w http.ResponseWriter, _ *http.Request) {
	absolute, err := filepath.Abs(h.dir)
	if err != nil {
		absolute = h.dir
	}
	writePage(w, "Runs", map[string]any{"history": map[string]string{"dir": filepath.Base(absolute)}})
}

// listed is a run in the list.
type listed struct {
	Name    string    `json:"name"`
	Study   string    `json:"study"`
	Profile string    `json:"profile"`
	Started time.Time `json:"started"`
	Done    int       `json:"done"`
	Planned int       `json:"planned"`
	State   string    `json:"state"`
	Damaged bool      `json:"damaged"`
	Running bool      `json:"running"`
}

// list answers with the runs, the newest first, without looking into them.
func (h *History) list(w http.ResponseWriter, _ *http.Request) {
	all, err := result.List(h.dir)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	runs := []listed{}
	for _, r := range all {
		dir, err := h.find(r.Name)
		if err != nil {
			continue // a link that leads out of the directory
		}
		runs = append(runs, listed{r.Name, r.Study, r.Profile, r.Started, r.Done, r.Planned, r.State(), r.Problem != "", !r.Finished && h.busy(dir)})
	}
	answerJSON(w, runs)
}

// answerJSON answers with a value; that its reader went away is nobody's error.
func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// find gives the directory of a run: a name directly below the directory of runs
// that does not lead out of it.
func (h *History) find(name string) (string, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
		return "", errNoRun
	}
	info, err := h.root.Stat(name)
	if err != nil || !info.IsDir() {
		return "", errNoRun
	}
	return filepath.Join(h.dir, name), nil
}

var errNoRun = errors.New("there is no such run in this directory")

// stamp changes when trials of a run end.
func (h *History) stamp(name string) string {
	info, err := h.root.Stat(filepath.Join(name, result.JournalFile))
	if errors.Is(err, fs.ErrNotExist) {
		info, err = h.root.Stat(filepath.Join(name, result.PlanFile))
	}
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano())
}

// open reads a run by its name.
func (h *History) open(name string) (*result.Run, error) {
	dir, err := h.find(name)
	if err != nil {
		return nil, err
	}
	return result.Open(dir)
}

// summary answers with what a run found. What was found before is kept until the
// run changes.
func (h *History) summary(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("run")
	if _, err := h.find(name); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if !h.take(r.Context()) {
		return
	}
	defer h.give()
	of := h.stamp(name)
	if known, ok := h.made[name]; !ok || known.of != of {
		h.made[name] = made{of, h.summarise(name)}
	}
	answerJSON(w, h.made[name].summary)
}

func (h *History) summarise(name string) summary {
	run, err := h.open(name)
	if err != nil {
		return summary{Problem: err.Error()}
	}
	a, err := h.judge(run)
	if a == nil {
		return summary{Problem: err.Error()}
	}
	s := summary{
		Title: a.Study.Title, Plimsoll: a.Run.Plimsoll, Noun: a.Study.Noun, Grade: a.Grade,
		Simulated: a.Run.Simulated, Reduced: a.Study.Reduced, Verdict: a.Verdict,
	}
	for _, o := range a.Study.Objectives {
		s.Objectives = append(s.Objectives, o.Text)
	}
	for _, v := range a.Variants {
		s.Lines = append(s.Lines, line{v.Name, v.Label, v.LoadLine, len(v.Rungs)})
	}
	return s
}

// report answers with the report of a run.
func (h *History) report(w http.ResponseWriter, r *http.Request) {
	if !h.take(r.Context()) {
		return
	}
	defer h.give()
	run, err := h.open(r.PathValue("run"))
	if err != nil {
		fail(w, http.StatusNotFound, err)
		return
	}
	a, err := h.judge(run)
	if a == nil {
		fail(w, http.StatusUnprocessableEntity, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	inTime(w)
	_ = report.HTML(w, a, func(id string) ([]result.Series, error) { return run.Series(id) }, report.Options{}) // the reader went away
}

// fail answers a reader who opened a page that cannot be made.
func fail(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	writePage(w, "Not shown", map[string]any{"failure": err.Error()})
}

// comparison answers with the comparison of two runs, a and b.
func (h *History) comparison(w http.ResponseWriter, r *http.Request) {
	if !h.take(r.Context()) {
		return
	}
	defer h.give()
	sides := [2]compare.Side{}
	for i, key := range []string{"a", "b"} {
		name := r.URL.Query().Get(key)
		run, err := h.open(name)
		if err != nil {
			fail(w, http.StatusNotFound, fmt.Errorf("%s: %w", key, err))
			return
		}
		sides[i] = compare.Side{Run: run, Label: name}
	}
	c, err := compare.Runs(sides[0], sides[1], compare.Options{})
	if c == nil {
		fail(w, http.StatusUnprocessableEntity, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	inTime(w)
	_ = report.ComparisonHTML(w, c) // the reader went away
}
