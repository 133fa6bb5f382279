package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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

func TestTerminal(t *testing.T) {
	for name, a := range map[string]*analysis.Analysis{"reference": referenceFixture(), "live": liveFixture()} {
		for _, width := range []int{40, 80, 120, 200} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				var out bytes.Buffer
				if err := Terminal(&out, a, width, false); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(out.String()) {
					if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > width {
						t.Errorf("%d columns in a terminal of %d: %q", w, width, line)
					}
				}
				golden(t, fmt.Sprintf("terminal-%s-%d.txt", name, width), out.Bytes())
			})
		}
	}
}
