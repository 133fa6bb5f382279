package cli

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// On a terminal of another character set all output is ASCII and says the same; files and
// pipes get UTF-8, and so does a terminal that shows it.
func TestTerminalThatIsNotUTF8(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	if err := resulttest.Run("runs/r", []string{"ssd", "hdd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	s.Write("grüße.yaml", strings.Replace(small, "study: small", "study: small\nquestion: Größe ≤ 5?", 1))
	out := func(locale string, width int, line string) string {
		var out bytes.Buffer
		state := s.State()
		s.Env["LC_ALL"] = locale
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

func beyondASCII(text string) (n int) {
	for _, c := range []byte(text) {
		if c >= 0x80 {
			n++
		}
	}
	return n
}
