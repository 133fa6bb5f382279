package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/study"
	"plimsoll/internal/study/templates"
)

// Every combination of answers makes a study that plan accepts.
func TestStudyNewMakesPlans(t *testing.T) {
	s := newSite(t)
	storage := filepath.Join(s.Dir, "Fast: \"SSD\" #1")
	if err := os.Mkdir(storage, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, app := range templates.Names() {
		for _, most := range []string{"", "1", "40"} {
			for _, limit := range []string{"", "50ms", "p99 <= 2s"} {
				for _, price := range []string{"", "none", "12000 EUR", "99.50 usd"} {
					args := []string{"study", "new", "-", "--application", app, "--storage", storage}
					for flag, answer := range map[string]string{"--instances": most, "--limit": limit, "--price": price} {
						if answer != "" {
							args = append(args, flag, answer)
						}
					}
					code, text, errs := s.plimsoll(args...)
					if code != 0 {
						t.Fatalf("%v: code %d: %s", args, code, errs)
					}
					st, err := study.Parse("new.yaml", []byte(text), "", facts.Vocabulary(registry.Parts()))
					if err != nil {
						t.Fatalf("%v: %v\n%s", args, err, text)
					}
					if (st.Prices != nil) != (price != "" && price != "none") || most != "" && most != "1" && st.Ladder.To != 40 {
						t.Errorf("%v gave\n%s", args, text)
					}
				}
			}
		}
		// Whether the machine has room, and the servers, is its own matter.
		code, _, errs := s.plimsoll("study", "new", app+".yaml", "--application", app, "--storage", storage, "--instances", "1")
		if code != 0 {
			t.Fatalf("code %d: %s", code, errs)
		}
		if code, out, errs := s.plimsoll("plan", app+".yaml"); code != 0 && code != command.ExitCannotRun || !strings.Contains(out, "Trials in order") {
			t.Errorf("plan %s: code %d\n%s%s", app, code, out, errs)
		}
	}
}

// Impossible answers are refused with the flag and a hint.
func TestStudyNewMistakes(t *testing.T) {
	s := newSite(t)
	s.Write("file", "")
	for _, c := range []struct{ flag, answer, says string }{
		{"application", "postgras", `did you mean "postgres"?`},
		{"application", "oracle", `there is no application "oracle"`},
		{"storage", "nowhere", "nowhere does not exist"},
		{"storage", "file", "is a file, not a directory"},
		{"storage", "a\nb", "control character"},
		{"instances", "many", `"many" is not a whole number from 1 to`},
		{"instances", "0", "is not a whole number"},
		{"instances", "-3", "is not a whole number"},
		{"limit", "200", "did you mean 200s or 200ms?"},
		{"limit", "0s", "no response time can be 0"},
		{"limit", "p42 <= 1s", `unknown metric "p42"`},
		{"limit", "errors <= 1%", "not a limit of the response time"},
		{"price", "12,000 EUR", "digits without separators"},
		{"price", "12000", "is not an amount and a currency"},
		{"price", "12000 Euro", "a code of ISO 4217"},
		{"price", "-1 EUR", "is not an amount"},
	} {
		args := []string{"study", "new", "-", "--" + c.flag + "=" + c.answer}
		if c.flag != "storage" {
			args = append(args, "--storage", s.Dir)
		}
		code, _, errs := s.plimsoll(args...)
		if code != command.ExitUsage || !strings.Contains(errs, "--"+c.flag+": ") || !strings.Contains(errs, c.says) || strings.Count(errs, "\n") < 2 {
			t.Errorf("%s %q: code %d: %s", c.flag, c.answer, code, errs)
		}
	}
	if code, _, errs := s.plimsoll("study", "new"); code != command.ExitUsage || !strings.Contains(errs, "--storage: no directory was given") {
		t.Errorf("without a terminal: code %d: %s", code, errs)
	}
	if code, _, errs := s.plimsoll("study", "nwe"); code != command.ExitUsage || !strings.Contains(errs, `did you mean "new"?`) {
		t.Errorf("code %d: %s", code, errs)
	}
}

// A file that is there is kept, unless it is to be replaced.
func TestStudyNewKeepsFiles(t *testing.T) {
	s := newSite(t)
	path := s.Write("mine.yaml", "precious")
	code, _, errs := s.plimsoll("study", "new", "mine.yaml", "--storage", s.Dir)
	if text, _ := os.ReadFile(path); code != command.ExitUsage || !strings.Contains(errs, "mine.yaml exists") || string(text) != "precious" {
		t.Errorf("code %d: %s; the file has %q", code, errs, text)
	}
	code, out, errs := s.plimsoll("study", "new", "mine.yaml", "--storage", s.Dir, "--force")
	if text, _ := os.ReadFile(path); code != 0 || !bytes.Contains(text, []byte("study: postgres-on-")) || !strings.Contains(out, "plimsoll plan mine.yaml") {
		t.Errorf("code %d: %s%s; the file has %q", code, out, errs, text)
	}
	if code, out, _ := s.plimsoll("study", "new", "--storage", s.Dir); code != 0 || !strings.HasPrefix(out, "postgres-on-") {
		t.Errorf("the default name: code %d: %s", code, out)
	}
}
