package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
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

	turn  chan struct{} // one page at a time is made: it takes memory and all processors
	pages pages
	most  int64 // bytes of memory that the making of a page may take
}

// mostMemory is how many bytes of memory the making of a page may take, by the sizes of the
// files that it is made from.
const mostMemory = 1 << 30

// summary is the list's entry for a run, in addition to result.List's.
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
	LoadLine loadline.LoadLine `json:"load_line"`
	Rungs    int               `json:"rungs"` // that were measured
}

// NewHistory opens a directory of runs. Busy says that a run goes on: its list
// entry says so, and it is analysed only when its report is opened.
func NewHistory(dir string, judge Judge, busy func(dir string) bool) (*History, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("serve the runs of %s: %w", dir, err)
	}
	return &History{dir: dir, root: root, judge: judge, busy: busy, turn: make(chan struct{}, 1), most: mostMemory}, nil
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
	writePage(w, "Runs", map[string]any{"history": map[string]string{"dir": h.name()}})
}

// name is what the directory is called: where it is called runs, by the one that it is in.
func (h *History) name() string {
	absolute, err := filepath.Abs(h.dir)
	if err != nil {
		absolute = h.dir
	}
	if filepath.Base(absolute) == "runs" {
		absolute = filepath.Dir(absolute)
	}
	return filepath.Base(absolute)
}

// runEntry is a run in the list.
type runEntry struct {
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
	runs := []runEntry{}
	for _, r := range all {
		dir, err := h.find(r.Name)
		if err != nil {
			continue // a link that leads out of the directory
		}
		runs = append(runs, runEntry{r.Name, r.Study, r.Profile, r.Started, r.Done, r.Planned, r.State(), r.Problem != "", !r.Finished && h.busy(dir)})
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

// stamp changes when a run does; it is empty where that cannot be told.
func (h *History) stamp(name string) string {
	dir := filepath.Join(h.dir, name)
	of := result.Stamp(untrusted.Tree(dir)) // which reads nothing, so that links may lead anywhere
	if of != "" && h.busy(dir) {
		of += " running"
	}
	return of
}

// fits refuses runs that take more memory than there is for a page.
func (h *History) fits(names []string) error {
	need := int64(0)
	for _, name := range names {
		need += result.Need(untrusted.Tree(filepath.Join(h.dir, name)))
	}
	if need <= h.most {
		return nil
	}
	return fmt.Errorf("%s takes about %s of memory to read, and a page may take %s; plimsoll report and plimsoll compare have no such limit",
		strings.Join(names, " and "), words.Binary(need), words.Binary(h.most))
}

// asked is a page that a viewer asks for.
type asked struct {
	name string   // among pages
	runs []string // that it is made from
	kind string   // its Content-Type
	// make writes the page. Its output is worthless once the context has ended.
	make func(to io.Writer, runs []*result.Run) error
	fail func(w http.ResponseWriter, status int, err error)
}

// answer gives a page that was made before from the same, or makes it, unless the reader
// leaves in the meantime.
func (h *History) answer(w http.ResponseWriter, r *http.Request, p asked) {
	stamps := make([]string, len(p.runs))
	for i, name := range p.runs {
		if _, err := h.find(name); err != nil {
			if len(p.runs) > 1 {
				err = fmt.Errorf("run %d: %w", i+1, err)
			}
			p.fail(w, http.StatusNotFound, err)
			return
		}
		stamps[i] = h.stamp(name)
	}
	of := ""
	if !slices.Contains(stamps, "") {
		of = strings.Join(stamps, "\n")
	}
	contents, known := h.pages.find(p.name, of)
	if !known {
		var err error
		if contents, err = h.made(r.Context(), p, of); err != nil {
			p.fail(w, http.StatusUnprocessableEntity, err)
			return
		}
	}
	w.Header().Set("Content-Type", p.kind)
	inTime(w)
	_, _ = w.Write(contents) // the reader went away
}

// made makes a page in its turn. The turn ends with the page: who fetches it slowly keeps
// nobody waiting.
func (h *History) made(ctx context.Context, p asked, of string) (_ []byte, err error) {
	defer caught.As("make the page of "+strings.Join(p.runs, " and "), &err)
	if !h.take(ctx) {
		return nil, ctx.Err()
	}
	defer h.give()
	if contents, known := h.pages.find(p.name, of); known { // another viewer asked for it as well
		return contents, nil
	}
	if err := h.fits(p.runs); err != nil {
		return nil, err
	}
	runs := make([]*result.Run, len(p.runs))
	for i, name := range p.runs {
		if runs[i], err = result.OpenUntil(ctx, filepath.Join(h.dir, name)); err != nil {
			return nil, err
		}
	}
	var text bytes.Buffer
	err = p.make(&text, runs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		h.pages.keep(page{p.name, of, text.Bytes()})
	}
	return text.Bytes(), err
}

// summary answers with what a run found.
func (h *History) summary(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("run")
	make := func(to io.Writer, runs []*result.Run) error { return json.NewEncoder(to).Encode(h.summarise(runs[0])) }
	h.answer(w, r, asked{"summary " + name, []string{name}, "application/json", make, noSummary})
}

// noSummary puts a run's fault into the list.
func noSummary(w http.ResponseWriter, status int, err error) {
	if status == http.StatusNotFound {
		http.Error(w, err.Error(), status)
		return
	}
	answerJSON(w, summary{Problem: err.Error()})
}

func (h *History) summarise(run *result.Run) summary {
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
	name := r.PathValue("run")
	make := func(to io.Writer, runs []*result.Run) error {
		a, err := h.judge(runs[0])
		if a == nil {
			return err
		}
		return report.HTML(to, a, runs[0].SeriesOf, report.Options{})
	}
	h.answer(w, r, asked{"report " + name, []string{name}, html, make, fail})
}

const html = "text/html; charset=utf-8"

// fail answers a reader who opened a page that cannot be made.
func fail(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", html)
	w.WriteHeader(status)
	writePage(w, "Not shown", map[string]any{"failure": err.Error()})
}

// comparison answers with the comparison of two runs, a and b.
func (h *History) comparison(w http.ResponseWriter, r *http.Request) {
	a, b := r.URL.Query().Get("a"), r.URL.Query().Get("b")
	make := func(to io.Writer, runs []*result.Run) error {
		c, err := compare.Runs(compare.Side{Run: runs[0], Label: a}, compare.Side{Run: runs[1], Label: b}, compare.Options{})
		if c == nil {
			return err
		}
		return report.ComparisonHTML(to, c)
	}
	h.answer(w, r, asked{"comparison " + a + "/" + b, []string{a, b}, html, make, fail})
}
