package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twice is what go test wrote of two times.
var twice = []string{
	`{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA/part","Elapsed":1}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":3}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:12: needs root\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestD","Output":"panic: test timed out\\n"}
{"Action":"fail","Package":"p","Elapsed":4}
{"ImportPath":"q","Action":"build-output","Output":"q.go:1: broken\n"}
{"ImportPath":"q","Action":"build-fail"}
{"Action":"fail","Package":"q","Elapsed":0}
`,
	`{"Action":"pass","Package":"p","Test":"TestA/part","Elapsed":1}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":2}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"pass","Package":"p","Elapsed":4}
{"Action":"skip","Package":"without","Elapsed":0}
{"Action":"fail","Package":"q","Elapsed":0}
`}

func TestWhatFailedOnceIsNamed(t *testing.T) {
	counted := newTally()
	var shown strings.Builder
	for _, events := range twice {
		if err := counted.read(strings.NewReader(events), &shown); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a_test.go:3: wrong", "q.go:1: broken", "UNFINISHED p TestD\npanic: test timed out"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("%q is not shown:\n%s", want, &shown)
		}
	}
	var got strings.Builder
	counted.report(&got, 2, 1, "make test runs them")
	want := `the longest:
     3.0 s  p TestA
2 left out; make test runs them:
     1  needs root
     1  no reason is given
failed:
  1 of 2  p TestA/part
  2 of 2  q
2 passed, 2 failed at least once in 2 times
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestEventsThatAreNoneAreAnError(t *testing.T) {
	if err := newTally().read(strings.NewReader("go: no such tool\n"), &strings.Builder{}); err == nil {
		t.Error("taken as events")
	}
}

func TestTheReasonIsTheLastTextOfATest(t *testing.T) {
	for said, want := range map[string]string{
		"=== RUN   TestX\n    x_test.go:7: waits\n    x_test.go:9: in -short: starts a browser\n--- SKIP: TestX (0.00s)\n": "in -short: starts a browser",
		"=== RUN   TestX\n--- SKIP: TestX (0.00s)\n": "no reason is given",
	} {
		if got := reasonIn(said); got != want {
			t.Errorf("of %q: %q", said, got)
		}
	}
}
