package result

import (
	"strings"
	"testing"
)

// partial is a driver of instances 0 and 1; the second fails after a second, and an order
// waits for each when the measured phase ends.
func partial(t testing.TB) string {
	return writeRecords(t, "driver-0.jsonl",
		order(t, 1, Measure, 1000, 2000, 7000),
		Record{Kind: KindDriver, Second: 1, Phase: Measure, Units: map[int]int64{0: 2, 1: 1}},
		Record{Kind: KindOperation, Second: 2, Phase: Measure, Operation: "order", Errors: map[string]int64{"refused": 5, "deadlock": 1}},
		Record{Kind: KindOperation, Second: 2, Phase: Measure, Operation: "login", Count: 3, Histogram: encoded(t, 10, 20, 30)},
		order(t, 3, Measure, 3000),
		Record{Kind: KindWaiting, Second: 3, Waiting: &WaitingRecord{Count: 2, Offered: 20, Oldest: 9, Histogram: encoded(t, 9_000_000, 1000)}},
		Record{Kind: KindInstance, Second: 3, Instance: &InstanceRecord{Instance: 0, Count: 3, Errors: map[string]int64{"deadlock": 1}, Histogram: encoded(t, 1000, 2000, 3000),
			Operations: map[string]PartRecord{"login": {Count: 2, Histogram: encoded(t, 10, 20)}},
			Waiting:    &WaitingRecord{Count: 1, Offered: 10, Oldest: 0.001, Histogram: encoded(t, 1000)}}},
		Record{Kind: KindInstance, Second: 3, Instance: &InstanceRecord{Instance: 1, Count: 1, Errors: map[string]int64{"refused": 5}, Histogram: encoded(t, 7000),
			Operations: map[string]PartRecord{"login": {Count: 1, Histogram: encoded(t, 30)}},
			Waiting:    &WaitingRecord{Count: 1, Offered: 10, Oldest: 9, Histogram: encoded(t, 9_000_000)}}},
		Record{Kind: KindEnd, Second: 4})
}

func TestSumsWithoutAnInstance(t *testing.T) {
	s, err := collect([]string{partial(t)}, collectStart, "order", nil, map[int]bool{1: true})
	if err != nil || len(s.Problems) > 0 {
		t.Fatalf("%v, %v", err, s.Problems)
	}
	whole, login := s.Operations["order"], s.Operations["login"]
	if whole.Count != 3 || whole.Errors["refused"] != 0 || whole.Errors["deadlock"] != 1 || whole.Waiting != 1 || whole.Offered != 10 || whole.Overdue != 0 {
		t.Errorf("order = %+v", whole)
	}
	near(t, "max", whole.Max, 0.003)
	near(t, "mean", whole.Mean, 0.002)
	near(t, "oldest", whole.Oldest, 0.001)
	if login.Count != 2 {
		t.Errorf("login = %+v", login)
	}
	near(t, "login max", login.Max, 20e-6)
	if len(s.Instances) != 1 || s.Instances[0].Instance != 0 {
		t.Errorf("instances are %+v", s.Instances)
	}
	for _, one := range s.Series {
		if one.Kind == "instance" && one.Name != InstanceName(0) {
			t.Errorf("there is a series of %s", one.Name)
		}
	}
	trial := Trial{Part: Part{Operations: s.Operations}, Rung: 2}
	if err := trial.checkOperations(); err != nil {
		t.Error(err)
	}
}

// A unit that ended with the measured phase may be missing from its sums: it is not taken
// out of those that are there.
func TestOnlyWhatIsThereIsTakenOut(t *testing.T) {
	file := writeRecords(t, "driver-0.jsonl",
		order(t, 1, Measure, 1000), order(t, 2, "", 5000),
		Record{Kind: KindInstance, Second: 3, Instance: &InstanceRecord{Instance: 0, Count: 1, Histogram: encoded(t, 1000)}},
		Record{Kind: KindInstance, Second: 3, Instance: &InstanceRecord{Instance: 1, Count: 1, Histogram: encoded(t, 5000)}},
		Record{Kind: KindEnd, Second: 4})
	s, err := collect([]string{file}, collectStart, "order", nil, map[int]bool{1: true})
	if err != nil || s.Operations["order"].Count != 1 {
		t.Errorf("%+v, %v", s.Operations, err)
	}
}

func TestImpossibleSetAside(t *testing.T) {
	for _, c := range []struct {
		rung int
		of   []Exclusion
		want string
	}{
		{10, []Exclusion{{Instance: 9}}, ""},
		{1, []Exclusion{{Instance: 0}}, "1 of 1 instances were set aside"},
		{10, []Exclusion{{Instance: 10}}, "instance 10 of 10"},
		{10, []Exclusion{{Instance: 3}, {Instance: 3}}, "instance 3"},
	} {
		trial := Trial{Rung: c.rung, SetAside: c.of}
		if err := trial.checkSetAside(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v of %d: %v", c.of, c.rung, err)
		}
	}
}
