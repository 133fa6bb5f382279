package cli

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
)

// Free space is measured on the storage, not in the work directory: /dev/shm is not the test's
// directory, and is smaller than the data that the study writes.
func TestPlanLooksAtTheStoragesFileSystem(t *testing.T) {
	s := newSite(t)
	for size, want := range map[string]int{"16MiB": 0, "100TiB": command.ExitCannotRun} {
		study := s.Write("big.yaml", fmt.Sprintf("study: big\nworkload: {name: blockio, parameters: {size: %s, mode: buffered}}\nstorage:\n  d: {class: directory, path: /dev/shm}\nladder: [1]\nphases: {warmup: 1s, measure: 2s}\nload: {users: 1}\n", size))
		code, out, errs := s.plimsoll("plan", study)
		if code != want {
			t.Errorf("%s: exit code %d\n%s%s", size, code, out, errs)
		}
		if words := strings.Join(strings.Fields(out), " "); want == command.ExitCannotRun && !strings.Contains(words, "of disk in /dev/shm (volumes 100TiB)") {
			t.Errorf("%s does not say where: %s", size, words)
		}
	}
}
