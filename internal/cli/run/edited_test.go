package run

import (
	"strings"
	"testing"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/registry"
)

// A run goes on with the study that it was planned from, and says so when its study.yaml
// says something else by now.
func TestResumeNoticesAnEditedStudy(t *testing.T) {
	s := commandtest.New(t)
	s.Write("blocks.yaml", commandtest.Blocks)
	p, text, err := makePlan(t.Context(), s.State(), registry.Parts(), studyOptions{set: []string{"load.users=2"}}, "blocks.yaml", facts.FetchNever)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, now, want string }{
		{"", "", ""},
		{"study: blocks\n", "# a remark\nstudy:   blocks\n", ""},
		{"users: 1", "users: 3", ""}, // it was set to 2
		{"measure: 2s", "measure: 20s", `phases.measure was "2s" and is "20s"`},
		{"ladder: [1]", "ladder: [1, 2]", "ladder.rungs was [1] and is [1,2]"},
		{"\nload:", "\nobjectives: [p95 <= 1s]\nload:", "objectives is"},
		{"\nload:", "\nlaod:", "it has problems now"},
		{"mode: buffered", "mode: direct, read: 100, outstanding: 7", "workload.parameters"},
	} {
		o := &runOptions{resume: "runs/x", studyOptions: studyOptions{}}
		edited := []byte(strings.Replace(string(noted(text, p.Study.Set)), c.old, c.now, 1))
		err := o.unedited(p.Study, edited)
		if c.want == "" {
			if err != nil {
				t.Errorf("%q for %q: %v", c.now, c.old, err)
			}
			continue
		}
		if command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), c.want) || !strings.Contains(command.Hint(err), "--force") {
			t.Errorf("%q for %q: %v", c.now, c.old, err)
		}
		o.force = true
		if err := o.unedited(p.Study, edited); err != nil {
			t.Errorf("%q for %q, --force: %v", c.now, c.old, err)
		}
	}
}
