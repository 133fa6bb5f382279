package study_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/study"
)

func parseSet(text, profile string, set ...string) (*study.Study, error) {
	return study.Parse("shop.yaml", []byte(text), profile, vocabulary(), set...)
}

// Settings on the command line replace the file's values, after the profile is applied.
func TestSet(t *testing.T) {
	tests := map[string]struct {
		set []string
		got func(*study.Study) any
		is  any
	}{
		"a number":                   {[]string{"load.users=3"}, func(s *study.Study) any { return s.Members[0].Load.Users }, 3},
		"a field that was not there": {[]string{"engine.volume=20GB"}, func(s *study.Study) any { return s.Members[0].Engine.Volume.String() }, "20GB"},
		"a parameter":                {[]string{"workload.parameters.n_searches=9"}, func(s *study.Study) any { return s.Members[0].Workload.Parameters.(*shop).Searches }, 9},
		"of a storage":               {[]string{"storage.slow.media=ssd"}, func(s *study.Study) any { return s.Storage["slow"].Parameters.(*medium).Media }, "ssd"},
		"an item of a list":          {[]string{"objectives.0=p95 <= 1s"}, func(s *study.Study) any { return s.Members[0].Objectives[0].Limit }, 1.0},
		"a list":                     {[]string{"ladder=[4, 5]"}, func(s *study.Study) any { return s.Ladder.Rungs }, []int{4, 5}},
		"a mapping":                  {[]string{"phases={warmup: 1s, measure: 2m}"}, func(s *study.Study) any { return s.Phases.Measure.String() }, "2m"},
		"a key with a dot":           {[]string{"engine.settings.log.level=1"}, func(s *study.Study) any { return s.Members[0].Engine.Settings["log.level"] }, "1"},
		"below an item":              {[]string{"prices.items.1.price=7"}, func(s *study.Study) any { return s.Prices.Items[1].Price }, 7.0},
		"the levels of a factor":     {[]string{"matrix.engine.cpu=[2, 3]"}, func(s *study.Study) any { return s.Matrix.Factors[1].Levels }, []any{int64(2), int64(3)}},
		"taken away":                 {[]string{"prices="}, func(s *study.Study) any { return s.Prices == nil }, true},
		"the last one counts":        {[]string{"seed=1", "seed=2"}, func(s *study.Study) any { return s.Seed }, uint64(2)},
		"is remembered":              {[]string{"seed=1"}, func(s *study.Study) any { return s.Set }, []string{"seed=1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := parseSet(good, "", test.set...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.is, test.got(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The profile comes first, and other profiles stay as they are.
func TestSetAfterTheProfile(t *testing.T) {
	s, err := parseSet(good, "laptop", "ladder.auto.to=8", "workload.parameters.size=5MB")
	if err != nil {
		t.Fatal(err)
	}
	if s.Ladder.To != 8 || s.Members[0].Workload.Parameters.(*shop).Size != 5e6 || s.Profile != "laptop" {
		t.Errorf("ladder %+v, parameters %+v", s.Ladder, s.Members[0].Workload.Parameters)
	}
	if _, err := parseSet(good, "", "storage.fast.raid.level=5"); err != nil {
		t.Errorf("the profile laptop, which is not chosen, was changed: %v", err)
	}
}

// An impossible setting is refused. The error shows the setting, a suggestion and the
// possible values.
func TestSetProblems(t *testing.T) {
	tests := map[string]struct{ set, says string }{
		"no value":             {"engine.cpu", "--set engine.cpu: there is no =; expected PATH=VALUE"},
		"no path":              {"=3", `"" is not a path`},
		"an empty part":        {"engine..cpu=3", "is not a path"},
		"unknown":              {"engin.cpu=1", `--set engin.cpu=1: unknown field "engin"; did you mean "engine"?`},
		"unknown below":        {"load.user=1", `unknown field "user"; did you mean "users"?`},
		"unknown parameter":    {"workload.parameters.n_serches=1", `did you mean "n_searches"?`},
		"unknown storage":      {"storage.fst.media=ssd", `the study has no storage.fst; did you mean "fast"?`},
		"the wrong type":       {"load.users=many", `--set load.users=many: found "many"; expected an integer`},
		"a unit that is wrong": {"phases.measure=5", `did you mean 5s or 5ms?`},
		"varied":               {"engine.cpu=4", "the matrix varies engine.cpu; expected --set 'matrix.engine.cpu=[...]'"},
		"varied for a storage": {"storage.slow.cpu=4", "the matrix varies storage.slow.cpu"},
		"no such item":         {"objectives.3=p95 <= 1s", `objectives is a list of 3; it has no item "3"; expected a position from 0 to 2`},
		"below a value":        {"load.users.x=3", `load.users is "8", which has no fields`},
		"nothing there":        {"pricez=", `that could be taken away; did you mean "prices"?`},
		"a profile":            {"profiles.laptop.seed=3", "a profile cannot be changed"},
		"no YAML":              {"engine.name=[a", "not valid YAML"},
		"two lines":            {"seed=3\nladder: [1]", "more than one line"},
		"impossible":           {"load.users=-1", "users must be 1 to"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parseSet(good, "", test.set)
			var all *study.Problems
			if !errors.As(err, &all) {
				t.Fatalf("the error is %v", err)
			}
			if !strings.Contains(err.Error(), test.says) || len(all.List) != 1 {
				t.Errorf("%d problems, not one with %q:\n%v", len(all.List), test.says, err)
			}
		})
	}
	if _, err := parseSet(good, "", "target.0=http://me:secret@host"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the password is in %v", err)
	}
}

// A value that cannot be read is one problem: what follows from there being none is no other.
func TestAValueThatCannotBeReadIsOneProblem(t *testing.T) {
	for set, says := range map[string]string{
		"ladder={auto: {precision: fast}}":                   `found "fast"; expected an integer`,
		"ladder={auto: {to: far}}":                           `found "far"; expected an integer`,
		`ladder=[1, "2", 8]`:                                 `found the text "2"; expected an integer`,
		"ladder=[4, many, 8]":                                `found "many"; expected an integer`,
		"ladder={rungs: many}":                               `found "many"; expected a list`,
		"load={rate: fast, arrivals: poisson}":               `found "fast"; expected a number`,
		"load={bursts: {every: often, on: 3m}}":              `"often" is not a duration`,
		"phases={measure: 400, warmup: 1m}":                  `"400" is not a duration; did you mean 400s or 400ms?`,
		"telemetry={interval: often}":                        `"often" is not a duration`,
		"faults.0.at=soon":                                   `"soon" is not a duration`,
		"engine.memory=5 gigs":                               `"5 gigs" is not a size; did you mean 5GB or 5GiB?`,
		"prices.years=long":                                  `found "long"; expected a number`,
		"prices.items.0.quantity=many":                       `found "many"; expected a number`,
		"prices.currency=[USD]":                              "found a list; expected text",
		"workload.name=[shop]":                               "found a list; expected text",
		"engine.name=[postgres]":                             "found a list; expected text",
		"storage.slow.class=[disk]":                          "found a list; expected text",
		"study=[a]":                                          "found a list; expected text",
		"engine=postgres":                                    `found "postgres"; expected fields below it`,
		"matrix={engine.cpu: 2, storage: [slow, fast]}":      `found "2"; expected a list`,
		"matrix={engine.cpu: [fast], storage: [slow, fast]}": `"fast" is not a number of cores`,
		"objectives=[p95 <= fast]":                           "expected",
		"workload.parameters.n_searches=many":                `found "many"; expected an integer`,
	} {
		_, err := parseSet(good, "", set)
		var all *study.Problems
		if !errors.As(err, &all) {
			t.Errorf("%s: the error is %v", set, err)
			continue
		}
		if len(all.List) != 1 || !strings.Contains(all.List[0].String(), says) {
			t.Errorf("%s: %d problems, not one with %q:\n%v", set, len(all.List), says, err)
		}
	}
}

// A finished run can be judged by other objectives and prices, but what was measured
// stays.
func TestJudge(t *testing.T) {
	s := parse(t, good, "")
	j, err := s.Judge([]string{"objectives=[p99 <= 2s]", "prices.items.0.price=9", "min_grade=B"}, vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Members[0].Objectives) != 1 || j.Members[0].Objectives[0].Limit != 2 || j.Prices.Items[0].Price != 9 || j.Prices.Items[1].Price != 1536 || j.MinGrade != "B" || j.Title != "Shops" || len(j.Set) != 3 {
		t.Errorf("judged by %+v, prices %+v", j, j.Prices)
	}
	if s.Prices.Items[0].Price != 23735 || len(s.Members[0].Objectives) != 3 {
		t.Error("the study itself was changed")
	}
	for set, says := range map[string]string{
		"engine.cpu=2":               "a report cannot change what was measured; expected one of title,",
		"objective=[p95 <= 1s]":      `did you mean "objectives"?`,
		"objectives.0=p95 < 1":       "--set objectives.0=p95 < 1: ",
		"objectives.0=buy p95 <= 1s": `has no operation "buy"`,
		"objectives.0=awaek >= 90%":  `did you mean "awake"?`,
		"min_grade=G":                `unknown grade "G"`,
		"prices.years=0":             "years must be above 0",
	} {
		if _, err := s.Judge([]string{set}, vocabulary()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v does not say %q", set, err, says)
		}
	}
}

// An objective may limit a metric that only its workload has; of a workload without any there is
// none to name.
func TestMetricsOfAWorkload(t *testing.T) {
	s := parse(t, good, "")
	j, err := s.Judge([]string{"objectives=[awake >= 99%]"}, vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	if o := j.Members[0].Objectives[0]; o.Operation != "login" || o.Metric != study.Idle || o.Limit != 0.01 || o.Text != "awake >= 99%" {
		t.Errorf("%+v", o)
	}
	v := vocabulary()
	shop := v.Workloads["shop"]
	shop.Metrics = nil
	v.Workloads["shop"] = shop
	if _, err := s.Judge([]string{"objectives=[awake >= 99%]"}, v); err == nil || !strings.Contains(err.Error(), `workload shop has no metric "awake"; expected a limit such as`) {
		t.Error(err)
	}
}
