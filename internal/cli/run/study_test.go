package run

import (
	"strings"
	"testing"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/registry"
)

// The study that a run keeps says what was set, and can still be read.
func TestNotedStudy(t *testing.T) {
	s := commandtest.New(t)
	text := noted([]byte("\ufeff"+commandtest.Small), []string{"engine.cpu=0.5", "title=a\nb"})
	if !strings.HasPrefix(string(text), "# set on the command line: engine.cpu=0.5\n# set on the command line: title=a b\nstudy: small") {
		t.Errorf("the text is\n%s", text)
	}
	s.Write("noted.yaml", string(text))
	if _, _, err := makePlan(t.Context(), s.State(), registry.Parts(), studyOptions{}, "noted.yaml", facts.FetchNever); err != nil {
		t.Error(err)
	}
	if text := noted([]byte(commandtest.Small), nil); string(text) != commandtest.Small {
		t.Errorf("a study without settings became\n%s", text)
	}
}
