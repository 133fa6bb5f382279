package kubernetes

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/describe/event/eventtest"
)

// parsed is an event as a study writes it.
func parsed(t *testing.T, text string) event.Event {
	t.Helper()
	e, err := Kind{}.Events(nil).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEventsAreRead(t *testing.T) {
	for text, want := range map[string]event.Event{
		"delete pod 0":                   {},
		"delete pod 3 db":                {Number: 3, Role: "db"},
		"kill server 1  web":             {Number: 1, Role: "web"},
		"drain node worker-2.example":    {Name: "worker-2.example"},
		"drain node of instance 1":       {Number: 1},
		"uncordon node of instance 1 db": {Number: 1, Role: "db"},
	} {
		if got := parsed(t, text); got.Number != want.Number || got.Role != want.Role || got.Name != want.Name {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"delete pods 0", "kill instance 0", "cut power", "", "delete pod", "delete pod -1", "drain node a b", "drain node", "drain node of instance", "drain node of instance 0 db more", "drain node a_b"} {
		if _, err := (Kind{}).Events(nil).Parse(text); !errors.Is(err, event.ErrUnknown) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestOrderOfEvents(t *testing.T) {
	for _, c := range []struct {
		before []string
		text   string
		want   string
	}{
		{nil, "delete pod 0", ""},
		{nil, "drain node a", ""},
		{[]string{"drain node a"}, "drain node b", ""},
		{[]string{"drain node a"}, "uncordon node a", ""},
		{[]string{"drain node a", "uncordon node a"}, "drain node a", ""},
		{[]string{"drain node of instance 0", "delete pod 0"}, "uncordon node of instance 0", ""},
		{[]string{"drain node a"}, "drain node a", "drained already"},
		{nil, "uncordon node a", "as in drain node a"},
		{[]string{"drain node of instance 0"}, "uncordon node of instance 1", "no earlier fault drains it"},
		{[]string{"drain node a", "uncordon node a"}, "uncordon node a", "no earlier fault drains it"},
		{nil, "delete pod x", "supported: delete pod N"},
	} {
		err := eventtest.Check(Kind{}.Events(nil), c.text, c.before)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q after %v: %v, want %q", c.text, c.before, err, c.want)
		}
	}
}
