package watch

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/campaign/progress"
)

// The lines at the bottom of a terminal are ASCII, too, and fit it.
func TestLiveViewInASCII(t *testing.T) {
	m := liveModel{width: 40, height: 24, ascii: true, now: progress.Event{Trial: strings.Repeat("ä", 60), Position: 1, Of: 3, Done: 0.5, At: time.Now()}}
	for _, line := range m.lines() {
		if strings.ContainsFunc(line, func(c rune) bool { return c > unicode.MaxASCII }) || runewidth.StringWidth(line) > 39 {
			t.Errorf("%q", line)
		}
	}
}
