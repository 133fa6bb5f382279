package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is what go test -json writes (go doc test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string // of the built package
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// test names a test; without a name it is its package.
type test struct{ pkg, name string }

func (t test) String() string { return strings.TrimSuffix(t.pkg+" "+t.name, " ") }

// tally counts what happened to tests over all times that they ran.
type tally struct {
	passed  int
	failed  map[test]int
	skipped map[string]map[test]bool // by reason
	took    map[test]float64         // seconds, the most of all times
}

func newTally() *tally {
	return &tally{failed: map[test]int{}, skipped: map[string]map[test]bool{}, took: map[test]float64{}}
}

// read takes the events of one time, shows a line for each package and the output of what failed.
func (t *tally) read(events io.Reader, to io.Writer) error {
	said := map[test]*strings.Builder{}
	for d := json.NewDecoder(events); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the events of go test: %w", err)
		}
		key := test{cmp.Or(e.Package, e.ImportPath), e.Test}
		if said[key] == nil {
			said[key] = &strings.Builder{}
		}
		said[key].WriteString(e.Output)
		if !t.take(e, key, said[key].String(), to) {
			continue
		}
		delete(said, key)
		if key.name == "" && e.Action == "fail" {
			showUnfinished(said, key.pkg, to)
		}
	}
}

// showUnfinished shows what tests said that had not ended when their package did, as after a
// panic or when the time was over.
func showUnfinished(said map[test]*strings.Builder, pkg string, to io.Writer) {
	for _, key := range slices.SortedFunc(maps.Keys(said), compareTests) {
		if key.pkg == pkg {
			fmt.Fprintf(to, "UNFINISHED %s\n%s", key, said[key])
			delete(said, key)
		}
	}
}

func compareTests(a, b test) int { return cmp.Compare(a.String(), b.String()) }

// take counts what an event says of a test that has said something until then, and reports
// whether the test has ended.
func (t *tally) take(e event, key test, said string, to io.Writer) (ended bool) {
	switch e.Action {
	case "pass":
		if key.name != "" {
			t.passed++
		}
	case "skip":
		if key.name != "" {
			reason := reasonIn(said)
			if t.skipped[reason] == nil {
				t.skipped[reason] = map[test]bool{}
			}
			t.skipped[reason][key] = true
		}
	case "fail":
		t.failed[key]++
		fmt.Fprintf(to, "FAIL %s\n%s", key, said)
	case "build-fail":
		fmt.Fprint(to, said)
	default:
		return false
	}
	t.took[key] = max(t.took[key], e.Elapsed)
	return true
}

// frame is what go test writes around the output of a test.
var frame = regexp.MustCompile(`(?m)^\s*(?:=== .*|--- .*)\n`)

// place is the file and line before a text.
var place = regexp.MustCompile(`^\s*\w+\.go:\d+: `)

// reasonIn is why a test was skipped: the last text that it logged.
func reasonIn(said string) string {
	lines := strings.Split(strings.TrimSpace(frame.ReplaceAllString(said, "")), "\n")
	for _, line := range slices.Backward(lines) {
		if place.MatchString(line) {
			return place.ReplaceAllString(line, "")
		}
	}
	return cmp.Or(strings.TrimSpace(lines[len(lines)-1]), "no reason is given")
}

// report writes the sums.
func (t *tally) report(to io.Writer, times, longest int, hint string) {
	t.reportLongest(to, longest)
	t.reportLeftOut(to, hint)
	t.reportFailed(to, times)
	fmt.Fprintf(to, "%d passed, %d failed", t.passed, len(t.failedTests()))
	if times > 1 {
		fmt.Fprintf(to, " at least once in %d times", times)
	}
	fmt.Fprintln(to)
}

func (t *tally) reportLongest(to io.Writer, longest int) {
	whole := slices.DeleteFunc(slices.Collect(maps.Keys(t.took)), func(k test) bool { return k.name == "" || strings.Contains(k.name, "/") })
	slices.SortFunc(whole, func(a, b test) int { return cmp.Compare(t.took[b], t.took[a]) })
	for i, k := range whole[:min(longest, len(whole))] {
		if i == 0 {
			fmt.Fprintln(to, "the longest:")
		}
		fmt.Fprintf(to, "%8.1f s  %s\n", t.took[k], k)
	}
}

func (t *tally) reportLeftOut(to io.Writer, hint string) {
	left := 0
	for _, tests := range t.skipped {
		left += len(tests)
	}
	if left == 0 {
		return
	}
	fmt.Fprintf(to, "%d left out; %s:\n", left, hint)
	for _, reason := range slices.SortedFunc(maps.Keys(t.skipped), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(t.skipped[b]), len(t.skipped[a])), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(to, "%6d  %s\n", len(t.skipped[reason]), reason)
	}
}

func (t *tally) reportFailed(to io.Writer, times int) {
	for i, k := range t.failedTests() {
		if i == 0 {
			fmt.Fprintln(to, "failed:")
		}
		fmt.Fprintf(to, "%3d of %d  %s\n", t.failed[k], times, k)
	}
}

// failedTests are those that failed by themselves: neither tests with a part that did, nor
// packages with such a test.
func (t *tally) failedTests() []test {
	all := slices.SortedFunc(maps.Keys(t.failed), compareTests)
	return slices.DeleteFunc(slices.Clone(all), func(k test) bool {
		return slices.ContainsFunc(all, func(other test) bool {
			return other.pkg == k.pkg && other != k && (k.name == "" || strings.HasPrefix(other.name, k.name+"/"))
		})
	})
}
