package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"plimsoll/internal/analysis"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update if that is right:\n%s", path, diff)
	}
}

// fixtures are the analyses that every format is tested with.
func fixtures() map[string]*analysis.Analysis {
	return map[string]*analysis.Analysis{"reference": referenceFixture(), "live": liveFixture()}
}

// within checks that no line is wider than the terminal.
func within(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > width {
			t.Errorf("%d columns in a terminal of %d: %q", w, width, line)
		}
	}
}

func TestTerminal(t *testing.T) {
	for name, a := range fixtures() {
		for _, width := range []int{40, 80, 120, 200} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				var out bytes.Buffer
				if err := Terminal(&out, a, width, false); err != nil {
					t.Fatal(err)
				}
				within(t, out.String(), width)
				golden(t, fmt.Sprintf("terminal-%s-%d.txt", name, width), out.Bytes())
			})
		}
	}
}

func TestTerminalColours(t *testing.T) {
	var plain, coloured bytes.Buffer
	if err := Terminal(&plain, liveFixture(), 100, false); err != nil {
		t.Fatal(err)
	}
	if err := Terminal(&coloured, liveFixture(), 100, true); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Error("there are colours where none were asked for")
	}
	stripped := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured.String(), "")
	trailing := regexp.MustCompile(" +\n")
	if diff := cmp.Diff(plain.String(), trailing.ReplaceAllString(stripped, "\n")); diff != "" {
		t.Errorf("colours change the text:\n%s", diff)
	}
}
