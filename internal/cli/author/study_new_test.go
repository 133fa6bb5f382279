package author

import (
	"bytes"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/study/templates"
)

// The questions name the unit that is counted, its volumes, and the costs that its price includes.
func TestStudyNewSaysWhatIsCounted(t *testing.T) {
	for app, want := range map[string][2]string{
		"postgres": {"How many databases at most?", "of databases, each with a volume of its own"},
		"blocks":   {"How many volumes at most?", "of volumes, each with reads and writes of its own"},
		"files":    {"How many writers at most?", "of writers, all on one volume"},
	} {
		a := templates.Answers{Application: app}
		q := a.Questions()
		if q[2].Text() != want[0] || !strings.Contains(q[2].Hint(), want[1]) {
			t.Errorf("%s: %s %s", app, q[2].Text(), q[2].Hint())
		}
		if !strings.Contains(q[4].Text(), "storage, servers, licences") || !strings.Contains(q[4].Hint(), "what one of the "+strings.Fields(want[0])[2]+" costs") {
			t.Errorf("%s: %s %s", app, q[4].Text(), q[4].Hint())
		}
	}
}

// A question is repeated until the answer is possible; an empty one is the default.
func TestStudyNewAsks(t *testing.T) {
	var a templates.Answers
	var out bytes.Buffer
	asker := newAsker(strings.NewReader("\nnowhere-at-all\n"+t.TempDir()+"\nten\n10\n\n\n"), &out)
	for _, q := range a.Questions() {
		if err := asker.ask(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if a.Application != "postgres" || a.Instances != "10" || a.Limit != "200ms" || a.Price != "none" {
		t.Errorf("the answers are %+v", a)
	}
	for _, part := range []string{"What application?", "nowhere-at-all does not exist", `"ten" is not a whole number`, "[200ms] > "} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
	if err := newAsker(strings.NewReader(""), &out).ask(t.Context(), a.Questions()[1]); command.ExitCode(err) != command.ExitUsage {
		t.Errorf("answers that end early: %v", err)
	}
}

// Questions fit the terminal.
func TestQuestionsFitTheTerminal(t *testing.T) {
	commandtest.New(t).Fits(true, func(s *command.State) {
		var a templates.Answers
		asker := newAsker(strings.NewReader("no such application\n\nnowhere\n"), s.Stderr)
		asker.wrap = s.Wrapped
		for _, q := range a.Questions() {
			_ = asker.ask(t.Context(), q) // the answers end before the questions
		}
	})
}
