package run

import (
	"os"
	"testing"

	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Two runs of one study that begin in the same second have directories of their own.
func TestRunsOfOneSecondHaveDirectoriesOfTheirOwn(t *testing.T) {
	o := runOptions{runs: t.TempDir()}
	p := &plan.Plan{Study: &study.Study{Name: "quick"}}
	seen := map[string]bool{}
	for range 50 { // surely some of them within a second
		dir := o.newDir(p)
		if seen[dir] {
			t.Fatalf("%s is given twice", dir)
		}
		seen[dir] = true
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
