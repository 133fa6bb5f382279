package app_test

import (
	"math"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

func TestValueChecks(t *testing.T) {
	for _, c := range []struct {
		check app.ValueCheck
		value string
		want  string
	}{
		{app.Whole(1, 3), "1", ""},
		{app.Whole(1, 3), "3", ""},
		{app.Whole(1, 3), "4", `"4" is not a number of 1 to 3`},
		{app.Whole(0, math.MaxInt), "-1", `"-1" is not a number of 0 or more`},
		{app.Whole(0, math.MaxInt), "1.5", `"1.5" is not a number of 0 or more`},
		{app.Choice("on", "off"), "off", ""},
		{app.Choice("on", "off"), "On", `"On" is none of on, off`},
		{app.AnyValue, "anything", ""},
	} {
		if got := c.check(c.value); got != c.want {
			t.Errorf("%q: %q, want %q", c.value, got, c.want)
		}
	}
}

// A setting of the list is judged by its check; one that is not on it is unknown, with the nearest.
func TestListedSettings(t *testing.T) {
	known := map[string]app.ValueCheck{"threads": app.Whole(1, 8), "way": app.Choice("a", "b")}
	judge := func(settings map[string]string) []describe.Problem {
		t.Helper()
		all, err := app.JudgeListed(app.Installation{Version: "1"}, app.Config{Settings: settings}, "X", 0, app.OutwardSettings{}, known)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := judge(map[string]string{"threads": "8", "way": "a"}); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	all := judge(map[string]string{"threads": "9", "thread": "1"})
	if len(all) != 2 || all[0].Path != "settings.thread" || all[0].Hint != `did you mean "threads"?` || all[1].Path != "settings.threads" || all[1].Text != `"9" is not a number of 1 to 8` {
		t.Errorf("%+v", all)
	}
}
