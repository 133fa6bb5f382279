package study_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/study"
)

// eventful has an engine with a verb, and a class with peers.
func eventful() study.Vocabulary {
	v := vocabulary()
	v.EngineEvents = map[string]event.Declaration{"postgres": {Of: "a database", Verbs: []event.Verb{
		{Name: "checkpoint", Object: event.Object{Form: event.Servers, Kind: "instance"}},
	}}}
	return v
}

// withEvents is the good study without faults, and with events.
func withEvents(events string) string {
	text := strings.Replace(good, "faults:\n  - {at: 60s, do: kill peer 2}\n", "events: "+events+"\n", 1)
	return strings.Replace(text, "faults: null", "events: null", 1)
}

func TestEvents(t *testing.T) {
	for events, want := range map[string]string{
		"[{at: 1s, do: checkpoint instance 0}]":                     "",
		"[{at: 1s, every: 10s, do: checkpoint instance 0 db}]":      "",
		"[{at: 1s, for: 10s, do: kill peer 1}]":                     "",
		"[{at: 1s, for: 10s, every: 30s, do: kill peer 1}]":         "",
		"[{at: 1s, from: 3, do: checkpoint instance 2}]":            "",
		"[{at: 1s, from: 3, do: checkpoint instance 3}]":            "instance 3 does not exist at the rung of 3 instances",
		"[{at: 1s, every: 30s, do: kill peer 1}]":                   "peer 1 cannot be killed then", // a second time
		"[{at: 1s, for: 30s, every: 30s, do: kill peer 1}]":         "it lasts 30s and comes again every 30s",
		"[{at: 4m, for: 2m, do: kill peer 1}]":                      "it ends 6m after the start",
		"[{at: 1s, every: 1ms, do: checkpoint instance 0}]":         "every 1ms is 299000 times in the measured phase",
		"[{at: 1s, every: 1ns, do: kill peer 1}]":                   "times in the measured phase",
		"[{at: 1s, every: 2000000h, do: kill peer 1}]":              "",
		"[{at: 1s, for: 2562047h, do: kill peer 1}]":                "events.0.for",
		"[{at: 9m, do: kill peer 1}]":                               "not within the measured phase",
		"[{at: 1s, every: -1s, do: kill peer 1}]":                   "events.0",
		"[{at: 1s, do: checkpoint instance 1}]":                     "instance 1 does not exist at the rung of 1 instance",
		"[{at: 1s, do: checkpoint instance 0 web}]":                 `no servers of role "web"`,
		"[{at: 1s, do: checkpoint}]":                                "engine postgres supports: checkpoint instance N, checkpoint instance N ROLE",
		`[{at: 1s, do: ""}]`:                                        "the event has no action",
		"[{at: 5s, do: kill peer 1}, {at: 4s, do: restart peer 1}]": "4s is listed after 5s",
		"[{at: 5s, do: restart peer 1}]":                            "peer 1 cannot be restarted then",
		"[{at: 5s, until: 6s, do: kill peer 1}]":                    `unknown field "until"`,
	} {
		_, err := study.Parse("s.yaml", []byte(withEvents(events)), "", eventful())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", events, err, want)
		}
	}
}

// Both lists are one timeline: repetitions and what ends an effect are moments of their own.
func TestTimeline(t *testing.T) {
	s, err := study.Parse("s.yaml", []byte(strings.Replace(good, "faults:\n", "events: [{at: 50s, every: 2m, do: checkpoint instance 0}, {at: 100s, for: 30s, from: 2, do: kill peer 1}]\nfaults:\n", 1)+"    events: null\n"), "", eventful())
	if err != nil {
		t.Fatal(err)
	}
	undo := func(do string) (string, bool) {
		rest, killed := strings.CutPrefix(do, "kill")
		return "restart" + rest, killed
	}
	for instances, want := range map[int][]string{
		1: {"50s checkpoint instance 0", "1m0s kill peer 2", "2m50s checkpoint instance 0", "4m50s checkpoint instance 0"},
		2: {"50s checkpoint instance 0", "1m0s kill peer 2", "1m40s kill peer 1", "2m10s restart peer 1", "2m50s checkpoint instance 0", "4m50s checkpoint instance 0"},
	} {
		var got []string
		for _, m := range s.Timeline(instances, undo) {
			got = append(got, fmt.Sprintf("%s %s", m.At, m.Do))
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %d instances: %q", instances, got)
		}
	}
}

// What an engine does is done by its own servers: not by those of another member, of another
// engine, or by existing ones.
func TestEventsOfEnginesNeedTheirServers(t *testing.T) {
	theirs := strings.Replace(site, "postgres, cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "postgres, existing: {servers: ['db1:5432/shop', 'db2:5432/shop'], user: me, password_env: SHOP}", 1)
	for _, c := range []struct{ text, do, want string }{
		{tile, "checkpoint instance 1 of shop", ""},
		{tile, "checkpoint instance 0 of bulk", "no server of it can checkpoint: a run starts only mariadb there"},
		{site, "checkpoint instance 0 db", ""},
		{site, "checkpoint instance 0 site", "no server of it can checkpoint: a run starts only nginx there"},
		{theirs, "checkpoint instance 0 db", `does not support fault "checkpoint instance 0 db"`},
	} {
		_, err := study.Parse("s.yaml", []byte(c.text+"events: [{at: 1s, do: "+c.do+"}]\n"), "", eventful())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.do, err, c.want)
		}
	}
}
