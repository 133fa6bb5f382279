package verdict

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/model"
)

// The answer about a network that was within one machine has that as a doubt, and no answer
// about the storage is given without it.
func TestAnswersWithinOneMachine(t *testing.T) {
	const want = "Driver and sink shared one machine: no stream crossed a network."
	if text := caveatOf(&model.Analysis{Run: model.RunInfo{Within: &model.LocalTraffic{Role: "sink", User: "stream"}}}); !strings.Contains(text, want) {
		t.Errorf("%q", text)
	}
	if text := caveatOf(&model.Analysis{}); strings.Contains(text, "one machine") {
		t.Errorf("%q", text)
	}
}
