package trial

import (
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// untriedEngine is one that nobody could try.
type untriedEngine struct{ app.Engine }

func (untriedEngine) Capabilities() app.Capabilities {
	return app.Capabilities{Untested: "nobody had a server"}
}

// What was allowed lowers the grade of each trial once, however many members use it.
func TestAnUntestedEngineIsADoubt(t *testing.T) {
	made := &trial{result: &result.Tile{}}
	role := facts.Role{Engine: untriedEngine{}, Spec: study.Engine{Name: "oracle"}}
	made.doubtUntested(role)
	made.doubtUntested(role)
	made.doubtUntested(facts.Role{})
	if d := made.result.Doubts; len(d) != 1 || !strings.Contains(d[0], "oracle is untested") || !strings.Contains(d[0], "nobody had a server") {
		t.Errorf("doubts %q", d)
	}
}
