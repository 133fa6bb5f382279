package study_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/study"
)

func withLadder(ladder string) (*study.Study, error) {
	text := "study: a\nworkload: {name: shop}\nengine: {name: mariadb}\nstorage: {d: {class: directory}}\nladder: " + ladder + "\n"
	return study.Parse("x.yaml", []byte(text), "", vocabulary())
}

func TestLadderOfUsers(t *testing.T) {
	s, err := withLadder("{of: users, rungs: [1, 4, 16]}")
	if err != nil {
		t.Fatal(err)
	}
	l := s.Ladder
	if !slices.Equal(l.Rungs, []int{1, 4, 16}) || l.Noun("") != "user" || l.Noun("stream") != "stream" || l.Instances(16) != 1 || s.Members[0].Load.Users != 1 {
		t.Errorf("%+v with %d users", l, s.Members[0].Load.Users)
	}
	if at := l.Load(study.Load{Users: 1, Rate: 10}, 16); at.Users != 16 || at.Rate != 160 {
		t.Errorf("at rung 16: %+v", at)
	}
	if search, err := withLadder("{of: users, auto: {to: 8}}\nobjectives: [p95 <= 1s]"); err != nil || !search.Ladder.Auto || search.Ladder.To != 8 {
		t.Errorf("a search: %v", err)
	}
}

func TestLaddersThatCannotBe(t *testing.T) {
	for ladder, want := range map[string]string{
		"{of: customers, rungs: [1]}":               `a ladder cannot count "customers"`,
		"{of: users}":                               "the ladder has no rungs",
		"{of: users, rungs: [2, 1]}":                "rungs must increase",
		"{of: users, rungs: [1], auto: {}}":         "both rungs and auto",
		"{of: users, steps: [1]}":                   "steps",
		"{of: users, rungs: [1]}\nload: {users: 4}": "the ladder counts users",
		"{rungs: [1], alone: true}":                 "nothing beside which a member could be measured",
		"{alone: true}":                             "the ladder has no rungs",
	} {
		if _, err := withLadder(ladder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", ladder, err, want)
		}
	}
}

// A ladder that is climbed begins and ends with its rungs.
func TestALadderThatIsClimbed(t *testing.T) {
	s, err := withLadder("{auto: {rungs: [1, 2, 4]}}\nrepetitions: 3\nobjectives: [p95 <= 1s]")
	if err != nil {
		t.Fatal(err)
	}
	if l := s.Ladder; !l.Climbs() || !slices.Equal(l.Rungs, []int{1, 2, 4}) || l.From != 1 || l.To != 4 || l.Budget != 9 {
		t.Errorf("%+v", l)
	}
	for ladder, want := range map[string]string{
		"{auto: {rungs: [2, 1]}}\nobjectives: [p95 <= 1s]":            "rungs must increase",
		"{auto: {rungs: [1, 2], budget: 3}}\nobjectives: [p95 <= 1s]": "both rungs and budget",
		"{auto: {rungs: [1, 2]}}":                                     "needs an objective",
		"{rungs: [1], auto: {rungs: [1, 2]}}":                         "both rungs and auto",
	} {
		if _, err := withLadder(ladder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", ladder, err, want)
		}
	}
}

// A rate can be kept only where one is offered: by the study, or by each user of the workload.
func TestObjectiveOnTheRateKept(t *testing.T) {
	with := func(workload, rest string) error {
		text := "study: a\nworkload: {name: " + workload + "}\n" + rest + "storage: {d: {class: directory}}\nladder: [1]\nobjectives: ['rate >= 99%']\n"
		_, err := study.Parse("x.yaml", []byte(text), "", vocabulary())
		return err
	}
	for rest, want := range map[string]string{
		"engine: {name: mariadb}\n":                   "in a closed loop no rate is offered",
		"engine: {name: mariadb}\nload: {rate: 10}\n": "",
	} {
		if err := with("shop", rest); err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", rest, err, want)
		}
	}
	if err := with("cameras", ""); err != nil {
		t.Errorf("users with a rate of their own: %v", err)
	}
	wrong := "study: a\nworkload: {name: cameras, parameters: {frames: -1}}\nstorage: {d: {class: directory}}\nladder: [1]\nobjectives: ['rate >= 99%']\n"
	if _, err := study.Parse("x.yaml", []byte(wrong), "", vocabulary()); err == nil || strings.Contains(err.Error(), "closed loop") {
		t.Errorf("the parameters alone are wrong: %v", err)
	}
	for _, load := range []string{"{rate: 10}", "{think_time: 1s}"} {
		if err := with("cameras", "load: "+load+"\n"); err == nil || !strings.Contains(err.Error(), "10 units of work a second by itself") {
			t.Errorf("load %s: %v", load, err)
		}
	}
}
