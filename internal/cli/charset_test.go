package cli

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/campaign"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

func TestCharacterSetOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		all, ctype, lang string
		utf8             bool
	}{
		{"", "", "", true}, // as in containers
		{"", "", "de_DE.UTF-8", true},
		{"", "", "en_US.utf8", true},
		{"C.UTF-8", "", "C", true},
		{"", "C.UTF-8", "C", true},
		{"", "", "en_US", true}, // names no character set
		{"", "", "ca_ES.UTF-8@valencia", true},
		{"C", "", "de_DE.UTF-8", false},
		{"", "POSIX", "de_DE.UTF-8", false},
		{"", "", "C", false},
		{"de_DE.ISO-8859-1", "", "", false},
		{"", "", "uk_UA.KOI8-U", false},
		{"", "", "ja_JP.eucJP", false},
		{"", "", "de_DE@euro", false},
	} {
		env := map[string]string{"LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}
		if got := namesUTF8(func(name string) string { return env[name] }); got != c.utf8 {
			t.Errorf("%v: UTF-8 is %v, want %v", env, got, c.utf8)
		}
	}
}

// On a terminal of another character set all output is ASCII and says the same; files and
// pipes get UTF-8, and so does a terminal that shows it.
func TestTerminalThatIsNotUTF8(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	if err := resulttest.Run("runs/r", []string{"ssd", "hdd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	s.write("grüße.yaml", strings.Replace(small, "study: small", "study: small\nquestion: Größe ≤ 5?", 1))
	out := func(locale string, width int, line string) string {
		var out bytes.Buffer
		state := s.state()
		s.env["LC_ALL"] = locale
		state.Stdout, state.Stderr, state.Width = &out, &out, width
		Main(state, strings.Fields(line))
		return out.String()
	}
	for _, line := range []string{"report r", "why r", "plan grüße.yaml", "compare r:ssd r:hdd", "show r ssd/1/1", "report r -f markdown"} {
		utf8 := out("C.UTF-8", 90, line)
		if beyondASCII(utf8) == 0 {
			t.Errorf("%s prints nothing beyond ASCII, and tests nothing", line)
		}
		if out("C", 0, line) != out("C.UTF-8", 0, line) {
			t.Errorf("%s: a file differs by locale", line)
		}
		for _, locale := range []string{"C", "POSIX", "uk_UA.KOI8-U"} {
			if text := out(locale, 90, line); beyondASCII(text) > 0 || text == "" {
				t.Errorf("%s with %s:\n%s", line, locale, text)
			}
		}
	}
	if text := out("C", 90, "report r"); !strings.Contains(text, "<=") || strings.Contains(text, `\u`) {
		t.Errorf("no words for the program's own signs in\n%s", text)
	}
	for _, line := range []string{"plan grüße.yaml --json", "report r --json", "why r --json"} {
		var plain, other any
		ascii := out("C", 90, line)
		if err := json.Unmarshal([]byte(ascii), &plain); err != nil || beyondASCII(ascii) > 0 {
			t.Errorf("%s: %v in\n%s", line, err, ascii)
		}
		if err := json.Unmarshal([]byte(out("C.UTF-8", 90, line)), &other); err != nil || !reflect.DeepEqual(plain, other) {
			t.Errorf("%s: JSON has another value in ASCII (%v)", line, err)
		}
	}
}

// The lines at the bottom of a terminal are ASCII, too, and fit it.
func TestLiveViewInASCII(t *testing.T) {
	m := liveModel{width: 40, height: 24, ascii: true, now: campaign.Event{Trial: strings.Repeat("ä", 60), Position: 1, Of: 3, Done: 0.5, At: time.Now()}}
	for _, line := range m.lines() {
		if beyondASCII(line) > 0 || runewidth.StringWidth(line) > 39 {
			t.Errorf("%q", line)
		}
	}
}

func beyondASCII(text string) (n int) {
	for _, c := range []byte(text) {
		if c >= 0x80 {
			n++
		}
	}
	return n
}
