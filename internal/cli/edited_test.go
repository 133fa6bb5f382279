package cli

import (
	"strings"
	"testing"

	"plimsoll/internal/campaign"
)

// A run goes on with the study that it was planned from, and says so when its study.yaml
// says something else by now.
func TestResumeNoticesAnEditedStudy(t *testing.T) {
	s := newSite(t)
	s.write("blocks.yaml", blocks)
	p, text, err := s.state().makePlan(t.Context(), Parts(), studyOptions{set: []string{"load.users=2"}}, "blocks.yaml", campaign.FetchNever)
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
		if exitCode(err) != exitUsage || !strings.Contains(err.Error(), c.want) || !strings.Contains(hintOf(err), "--force") {
			t.Errorf("%q for %q: %v", c.now, c.old, err)
		}
		o.force = true
		if err := o.unedited(p.Study, edited); err != nil {
			t.Errorf("%q for %q, --force: %v", c.now, c.old, err)
		}
	}
}
