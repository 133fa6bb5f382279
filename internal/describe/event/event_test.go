package event_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/describe/event/eventtest"
)

// pool declares verbs of every form.
func pool() event.Declaration {
	peer := event.Object{Form: event.Numbered, Kind: "peer", Last: 3}
	link := event.Object{Form: event.Numbered, Kind: "link"}
	return event.Declaration{Of: "a small pool", Verbs: []event.Verb{
		{Name: "kill", Object: peer, Breaks: true},
		{Name: "cut power", Breaks: true, CutsPower: true},
		{Name: "cut power", Object: peer, Breaks: true, CutsPower: true},
		{Name: "restart", Object: peer, Undoes: []string{"kill", "cut power"}},
		{Name: "degrade", Object: link, Argument: "RATE", Breaks: true, Argue: func(text string) error {
			if strings.HasSuffix(text, "bit") {
				return nil
			}
			return fmt.Errorf("%q is not a rate", text)
		}},
		{Name: "restore", Object: link, Undoes: []string{"degrade"}},
		{Name: "snapshot", Object: event.Object{Form: event.Servers, Kind: "instance"}},
		{Name: "resize", Object: event.Object{Form: event.Servers, Kind: "instance"}, Argument: "SIZE", Missing: errors.New("it cannot grow")},
		{Name: "drain", Object: event.Object{Form: event.Node, Kind: "node"}, Breaks: true},
	}}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]event.Event{
		"kill peer 2":                   {Verb: event.Verb{Name: "kill"}, Number: 2},
		"cut power":                     {Verb: event.Verb{Name: "cut power"}},
		"cut power peer 1":              {Verb: event.Verb{Name: "cut power"}, Number: 1},
		"degrade link 1 100mbit":        {Verb: event.Verb{Name: "degrade"}, Number: 1, Argument: "100mbit"},
		"snapshot instance 0":           {Verb: event.Verb{Name: "snapshot"}},
		"snapshot instance 12  db":      {Verb: event.Verb{Name: "snapshot"}, Number: 12, Role: "db"},
		"resize instance 1 2GB":         {Verb: event.Verb{Name: "resize"}, Number: 1, Argument: "2GB"},
		"resize instance 1 db 2GB":      {Verb: event.Verb{Name: "resize"}, Number: 1, Role: "db", Argument: "2GB"},
		"snapshot instance 1 of shop":   {Verb: event.Verb{Name: "snapshot"}, Number: 1, Member: "shop"},
		"snapshot instance 1 db of s":   {Verb: event.Verb{Name: "snapshot"}, Number: 1, Role: "db", Member: "s"},
		"resize instance 1 of s 2GB":    {Verb: event.Verb{Name: "resize"}, Number: 1, Member: "s", Argument: "2GB"},
		"drain node of instance 3 of s": {Verb: event.Verb{Name: "drain"}, Number: 3, Member: "s"},
		"drain node one":                {Verb: event.Verb{Name: "drain"}, Name: "one"},
		"drain node of instance 3 w":    {Verb: event.Verb{Name: "drain"}, Number: 3, Role: "w"},
	} {
		got, err := pool().Parse(text)
		if err != nil || got.Verb.Name != want.Verb.Name || got.Number != want.Number || got.Role != want.Role || got.Member != want.Member || got.Name != want.Name || got.Argument != want.Argument || got.Text != text {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "kill", "kill peer", "kill peer one", "kill peer 1 2", "kill peers 1", "cut powers", "snapshot instance", "snapshot instance -1", "snapshot instance 0 db more", "snapshot instance 0 of", "snapshot instance 0 of s more than", "drain node", "drain node a b", "drain node of instance"} {
		if _, err := pool().Parse(text); !errors.Is(err, event.ErrUnknown) {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := pool().Parse("melt peer 1")
	for _, part := range []string{`"melt peer 1" is not a fault of a small pool; supported: kill peer N, cut power`, "degrade link N RATE", "snapshot instance N ROLE", "drain node of instance N"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v lacks %q", err, part)
		}
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"kill peer 3":            "",
		"kill peer 4":            "peer 4 does not exist; the pool has 1 to 3",
		"kill peer 0":            "peer 0 does not exist",
		"degrade link 99 1mbit":  "", // how many there are is not known
		"degrade link 1":         "has no rate: write degrade link N RATE",
		"degrade link 1 quickly": `"quickly" is not a rate`,
		"resize instance 0 1GB":  "it cannot grow",
	} {
		if err := eventtest.Check(pool(), text, nil); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestOrderSeesWhatWasReadBefore(t *testing.T) {
	d := pool()
	d.Order = func(e event.Event, earlier []event.Event) error {
		if e.Verb.Repairs() && !slices.ContainsFunc(earlier, e.Undoes) {
			return errors.New("nothing to repair")
		}
		return nil
	}
	if err := eventtest.Check(d, "restart peer 1", []string{"kill peer 1", "an event of somebody else"}); err != nil {
		t.Error(err)
	}
	for _, earlier := range []string{"kill peer 2", "degrade link 1 1mbit", "cut power"} {
		if err := eventtest.Check(d, "restart peer 1", []string{earlier}); err == nil {
			t.Errorf("a peer is restarted after %q", earlier)
		}
	}
}

func TestUndo(t *testing.T) {
	for text, want := range map[string]string{
		"kill peer 2":            "restart peer 2",
		"cut power peer 2":       "restart peer 2",
		"degrade link 1 100mbit": "restore link 1",
		"cut power":              "", // comes back by itself
		"snapshot instance 0":    "",
		"restart peer 1":         "",
	} {
		e, err := pool().Parse(text)
		if got, ok := pool().Undo(e); err != nil || got != want || ok != (want != "") {
			t.Errorf("%q is undone by %q, %v", text, got, err)
		}
	}
}
