package words_test

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/text/words"
)

// Whatever a path is, a shell hands it on as it is, and as no option.
func TestShellHandsAPathOn(t *testing.T) {
	if got := words.Shell("runs/20261121-101500-quickstart"); got != "runs/20261121-101500-quickstart" {
		t.Errorf("quoted without need: %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfN(rapid.StringOfN(rapid.OneOf(rapid.RuneFrom([]rune("-~'\"\\$`*[]{}()#!&|;<>? \t=%:")), rapid.Rune()), 1, 8, -1).Filter(func(p string) bool { return !strings.ContainsRune(p, 0) }), 20, 20).Draw(t, "paths")
		var command, want strings.Builder
		command.WriteString("printf '%s\\0'")
		for _, p := range paths {
			command.WriteString(" " + words.Shell(p))
			if p[0] == '-' {
				want.WriteString("./")
			}
			want.WriteString(p + "\x00")
		}
		out, err := exec.Command("sh", "-c", command.String()).Output()
		if err != nil || string(out) != want.String() {
			t.Fatalf("%s: %q, %v", command.String(), out, err)
		}
	})
}
