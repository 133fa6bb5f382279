package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// The card is XML that holds the answer, the grade, and each variant with its load line, whatever
// texts are in it.
func TestCardIsSVG(t *testing.T) {
	hostile := liveFixture()
	hostile.Study.Title = "<script>alert(1)</script> & \"x\" \x01"
	for name, a := range map[string]*analysis.Analysis{"live": liveFixture(), "hostile": hostile, "crowded": crowdedFixture(), "nothing": {}} {
		var out bytes.Buffer
		if err := Card(&out, a); err != nil {
			t.Fatal(err)
		}
		text := allText(t, out.Bytes())
		if strings.Contains(out.String(), "<script") || !strings.Contains(text, firstWords(a.Headline)) || !strings.Contains(text, a.Grade) {
			t.Errorf("%s: %s", name, out.String())
		}
		for i, v := range withRungs(bestFirst(a).Variants) {
			if i < cardRows && (!strings.Contains(text, words.Middle(v.Label, 24)) || !strings.Contains(text, say.BracketText(v.LoadLine.Reach()))) {
				t.Errorf("%s: %s with its load line is missing in %s", name, v.Label, text)
			}
		}
	}
}

func firstWords(text string) string {
	return strings.Join(strings.Fields(Plain(text))[:min(4, len(strings.Fields(text)))], " ")
}

// allText is what an XML document says; it fails where it is none.
func allText(t *testing.T, document []byte) string {
	t.Helper()
	var b strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(document)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		if text, is := token.(xml.CharData); is {
			b.Write(text)
			b.WriteByte(' ')
		}
	}
}

// Every objective at every rung is a test, which fails where the objective was missed; a rung with
// no trial that passed is an error.
func TestJUnitHasEveryObjective(t *testing.T) {
	a := liveFixture()
	broken := &a.Variants[0].Rungs[len(a.Variants[0].Rungs)-1]
	broken.Objectives = []rung.ObjectiveResult{{Text: "p95 <= 200ms", Metric: "p95", Value: 0.4, Limit: 0.2}, {Text: "errors <= 0.1%", Metric: "errors", Kept: true}, {Text: "p99 <= 1s", Metric: "p99", Unknown: true}}
	lost := &a.Variants[1].Rungs[0]
	lost.Repetitions, lost.Failed = 0, 2
	var out bytes.Buffer
	if err := JUnit(&out, a); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	tests, failures, skipped, failed := 0, 0, 0, 0
	for _, v := range a.Variants {
		for _, r := range v.Rungs {
			if r.Repetitions == 0 || r.Breaks != "" {
				tests, failed = tests+1, failed+1
			}
			for _, o := range r.Objectives {
				if r.Repetitions == 0 {
					continue
				}
				tests++
				if o.Unknown {
					skipped++
				} else if !o.Kept {
					failures++
				}
			}
		}
	}
	if got.Tests != tests || got.Failures != failures || got.Errors != failed || failures == 0 || failed == 0 || skipped == 0 {
		t.Errorf("%d tests, %d failures, %d errors; want %d, %d, %d: %s", got.Tests, got.Failures, got.Errors, tests, failures, failed, out.String())
	}
	if !strings.Contains(out.String(), "p95 was 400 ms") {
		t.Errorf("what was measured is missing: %s", out.String())
	}
}

// Annotations are one line each, whatever the texts hold: the answer, what weighs, and failed trials.
func TestAnnotationsAreCommands(t *testing.T) {
	a := liveFixture()
	a.Study.Title = "a: b, c\n::error::forged"
	a.Trials[0].Cause = "it ended:\n100 % of it"
	var out bytes.Buffer
	if err := Annotations(&out, a); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "::notice title=a%3A b%2C c%0A%3A%3Aerror%3A%3Aforged::") && !strings.HasPrefix(line, "::warning title=a%3A") && !strings.HasPrefix(line, "::error title=a%3A") {
			t.Errorf("a line is no command of ours: %q", line)
		}
	}
	if !strings.Contains(out.String(), "it ended:%0A100 %25 of it") || !strings.HasPrefix(out.String(), "::notice ") {
		t.Errorf("%s", out.String())
	}
}
