package command

import (
	"testing"
)

func TestWrapText(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 20, "short"},
		{"one two three four", 10, "one two\n    three\n    four"},
		{"a-word-that-is-much-too-long", 12, "a-word-that-\n    is-much-\n    too-long"},
		{"two\nlines", 20, "two\nlines"},
		{"", 0, ""},
	} {
		if got := WrapText(c.text, c.width); got != c.want {
			t.Errorf("wrapText(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// Nothing is styled where the terminal is unknown, or nobody wants it.
func TestColours(t *testing.T) {
	for _, c := range []struct {
		width int
		env   map[string]string
		want  bool
	}{
		{80, map[string]string{"TERM": "xterm"}, true},
		{0, map[string]string{"TERM": "xterm"}, false},
		{80, map[string]string{"TERM": "dumb"}, false},
		{80, nil, false},
		{80, map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
	} {
		s := &State{Width: c.width, Getenv: func(name string) string { return c.env[name] }}
		if s.Colour() != c.want {
			t.Errorf("width %d, %v: %v", c.width, c.env, s.Colour())
		}
	}
}
