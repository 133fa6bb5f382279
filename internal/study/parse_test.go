package study_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/internal/study"
)

func parse(t *testing.T, text, profile string) *study.Study {
	t.Helper()
	s, err := study.Parse("shop.yaml", []byte(text), profile, vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseReadsEverything(t *testing.T) {
	s := parse(t, good, "")
	if got, want := s.Members[0].Workload.Parameters.(*shop), (&shop{Size: 1e9, Searches: 3, NewShare: 20, Languages: []string{"en", "fr"}}); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	wantEngine := study.Engine{Name: "postgres", Version: "15", CPU: 0.5, Memory: 5 << 30,
		Settings: map[string]string{"shared_buffers": "128MB", "fsync": "on"}}
	if diff := cmp.Diff(wantEngine, s.Members[0].Engine); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"slow", "fast"}, s.StorageOrder); diff != "" {
		t.Error(diff)
	}
	if m := s.Storage["fast"].Parameters.(*medium); m.RAID == nil || m.RAID.Level != 6 || m.Media != "ssd" {
		t.Errorf("fast is %+v", m)
	}
	wantObjectives := []study.Objective{
		{Metric: "p95", Limit: 0.2, Text: "p95 <= 200ms"},
		{Metric: "errors", Limit: 0.001, Text: "errors <= 0.1%"},
		{Operation: "purchase", Metric: "p99", Limit: 2, Text: "purchase p99 <= 2s"},
	}
	if diff := cmp.Diff(wantObjectives, s.Members[0].Objectives, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	if s.Prices.Items[1].Capacity != 1_920_000_000_000 || s.Prices.Items[1].For["storage"] != "fast" {
		t.Errorf("prices are %+v", s.Prices.Items[1])
	}
	if s.Seed != 7 || s.Repetitions != 3 || s.Phases.RampRate != 10 || s.Telemetry.Interval.D() != 10*time.Second {
		t.Errorf("counts are %+v", s)
	}
}

func TestDefaults(t *testing.T) {
	s := parse(t, "study: a\nworkload: {name: shop}\nengine: {name: mariadb}\nstorage: {d: {class: directory}}\nladder: auto\nobjectives: [mean <= 1s]\n", "")
	if s.Repetitions != 1 || s.Seed != 1 || s.Members[0].Load.Users != 8 || s.Phases.Warmup.D() != time.Minute || s.Phases.Measure.D() != 5*time.Minute {
		t.Errorf("defaults are %+v", s)
	}
	if want := (study.Ladder{Auto: true, From: 1, To: 128, Budget: 16}); !cmp.Equal(want, s.Ladder) {
		t.Error(cmp.Diff(want, s.Ladder))
	}
	if _, ok := s.Members[0].Workload.Parameters.(*shop); !ok {
		t.Errorf("parameters are %T", s.Members[0].Workload.Parameters)
	}
}

func TestProfileIsLaidOver(t *testing.T) {
	s := parse(t, good, "laptop")
	if s.Profile != "laptop" || !s.Reduced || s.Prices != nil || !s.Ladder.Auto || s.Ladder.To != 16 {
		t.Errorf("the profile was not applied: %+v", s)
	}
	if p := s.Members[0].Workload.Parameters.(*shop); p.Size != 10e6 || len(p.Languages) != 2 {
		t.Errorf("parameters did not merge: %+v", p)
	}
	if f, ok := s.Storage["fast"].Parameters.(*folder); !ok || f.Path != "memory" {
		t.Errorf("another class did not replace the first: %+v", s.Storage["fast"])
	}
	if len(s.Matrix.Factors) != 2 || s.Title != "Shops" {
		t.Errorf("matrix is %+v", s.Matrix)
	}
	if diff := cmp.Diff([]string{"laptop"}, study.Profiles([]byte(good))); diff != "" {
		t.Error(diff)
	}
}

// edit replaces one piece of the good study.
func edit(t *testing.T, old, replacement string) string {
	t.Helper()
	if !strings.Contains(good, old) {
		t.Fatalf("%q is not in the good study", old)
	}
	return strings.Replace(good, old, replacement, 1)
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name, old, replacement string
		want                   []string // parts of the error, place first
	}{
		{"unknown field", "  memory: 5Gi", "  memroy: 5Gi", []string{"shop.yaml:10:3: engine.memroy", `unknown field "memroy"`, `did you mean "memory"?`}},
		{"unknown field at the top", "seed: 7", "seeds: 7", []string{"shop.yaml:42:1: seeds", `did you mean "seed"?`}},
		{"part of a name", "think_time: 10ms", "think: 10ms", []string{`did you mean "think_time"?`}},
		{"words for a name", "study: shop-on-disks", "study: My Databases", []string{"did you mean my-databases?"}},
		{"text for a list", "[p95 <= 200ms, errors <= 0.1%, purchase p99 <= 2s]", "p95 <= 200ms", []string{`found "p95 <= 200ms"`, "a list, such as [p95 <= 200ms"}},
		{"wrong unit of size", "5Gi", "5Gigs", []string{"shop.yaml:10:11: engine.memory", `"5Gigs" is not a size`, "did you mean 5GB or 5GiB?", "10MB or 5GiB"}},
		{"size without unit", "memory: 5Gi", "memory: 256", []string{"shop.yaml:10:11: engine.memory", `"256" has no unit`, "did you mean 256MB, 256GB or 256TB?"}},
		{"bytes without unit", "memory: 5Gi", "memory: 16777216", []string{`"16777216" has no unit`, "did you mean 16MiB or 16777216B?"}},
		{"too little memory", "memory: 5Gi", "memory: 256B", []string{"256B is too little memory", "256MiB"}},
		{"size without unit letters", "5Gi", "5G", []string{"did you mean 5GB or 5GiB?"}},
		{"wrong unit of duration", "measure: 5m", "measure: 5min", []string{"shop.yaml:30:31", "not a duration", "did you mean 5m?"}},
		{"number for duration", "think_time: 10ms", "think_time: 10", []string{"did you mean 10s or 10ms?"}},
		{"text for number", "users: 8", "users: eight", []string{"load.users", `found "eight"`, "an integer"}},
		{"quoted number", "users: 8", `users: "8"`, []string{"load.users", `found the text "8"`, "an integer"}},
		{"list for mapping", "load: {users: 8, think_time: 10ms}", "load: [8]", []string{"found a list", "users, think_time"}},
		{"nothing", "  cpu: 0.5", "  cpu:", []string{"engine.cpu", "found nothing", "a number"}},
		{"unknown workload", "name: shop", "name: shpo", []string{"shop.yaml:4:9: workload.name", `did you mean "shop"?`, "files, shop"}},
		{"unknown engine", "name: postgres", "name: postgresql", []string{"shop.yaml:7:9: engine.name", `did you mean "postgres"?`, "mariadb, nginx, postgres"}},
		{"unknown class", "class: disk\n    media: hdd", "class: dsik\n    media: hdd", []string{"shop.yaml:14:12: storage.slow.class", `did you mean "disk"?`}},
		{"unknown parameter", "{size: 1GB,", "{sise: 1GB,", []string{"shop.yaml:5:16: workload.parameters.sise", `did you mean "size"?`}},
		{"unknown class parameter", "media: ssd", "medium: ssd", []string{"storage.fast.medium", `did you mean "media"?`}},
		{"invalid parameter", "{size: 1GB,", "{pct_new: 120,", []string{"shop.yaml:5:25: workload.parameters.pct_new: 120 is not a percentage"}},
		{"invalid class parameter", "media: ssd", "media: tape", []string{"shop.yaml:20:12: storage.fast.media", `no media "tape"`}},
		{"engine that the workload lacks", "name: shop\n  parameters: {size: 1GB, languages: [en, fr]}", "name: files", []string{"workload files does not run on postgres", "mariadb"}},
		{"duplicate key", "title: Shops", "title: Shops\ntitle: More", []string{"shop.yaml:3:1", `duplicate field "title" (first on line 2)`}},
		{"falling ladder", "[1, 2, 8]", "[1, 8, 2]", []string{"shop.yaml:28:16: ladder.2", "rungs must increase, got 2 after 8"}},
		{"zero rung", "[1, 2, 8]", "[0, 2]", []string{"a rung must be 1 to 100,000, got 0"}},
		{"empty ladder", "[1, 2, 8]", "[]", []string{"no rungs"}},
		{"ladder of words", "[1, 2, 8]", "automatic", []string{`found "automatic"`, "or auto"}},
		{"search upside down", "[1, 2, 8]", "{auto: {from: 8, to: 4}}", []string{"from (8) must not be above to (4)"}},
		{"no repetitions", "repetitions: 3", "repetitions: 0", []string{"shop.yaml:29:14: repetitions", "repetitions must be 1 to 1,000, got 0"}},
		{"no measurement", "measure: 5m", "measure: 0s", []string{"phases.measure", "measure must be at least 1s, got 0s"}},
		{"endless measurement", "measure: 5m", "measure: 2562047h", []string{"shop.yaml:30:31: phases.measure", "2562047h is too long", "at most 48h"}},
		{"more expected than may be", "measure: 5m", "measure: 5m, expect: 6m", []string{"phases.expect", "6m is expected of work that is cut off after 5m"}},
		{"endless warm-up", "warmup: 2m", "warmup: 49h", []string{"phases.warmup", "49h is too long"}},
		{"endless ramp", "measure: 5m}", "measure: 5m, ramp_rate: 1.0e-300}", []string{"phases.ramp_rate", "ramp_rate must be 0 (start all users at once) or at least 0.001 users a second"}},
		{"endless thought", "think_time: 10ms", "think_time: 2562047h", []string{"load.think_time", "too long"}},
		{"too many trials", "[1, 2, 8]\nrepetitions: 3", "[" + hundreds() + "]\nrepetitions: 1000", []string{"ladder", "trials", "at most 100000"}},
		{"control character", "title: Shops", `title: "Shops\e]0;x\a"`, []string{"shop.yaml:2:8", "the control character U+001B"}},
		{"control character in a name", "  fast:\n    class: disk", "  \"fa\\u202est\":\n    class: disk", []string{"the control character U+202E"}},
		{"no users", "users: 8", "users: 0", []string{"users must be 1 to 100,000, got 0"}},
		{"unknown arrivals", "think_time: 10ms", "rate: 5, arrivals: poison", []string{"load.arrivals", `unknown arrivals "poison"`, `did you mean "poisson"?`}},
		{"arrivals without a rate", "think_time: 10ms", "arrivals: poisson", []string{"load.arrivals", "load.rate as well"}},
		{"rate and think time", "think_time: 10ms", "think_time: 10ms, rate: 5", []string{"rate and think_time cannot be combined"}},
		{"unknown factor", "engine.cpu: [1, 2]", "engine.cpus: [1, 2]", []string{"shop.yaml:24:3: matrix.engine.cpus", `unknown field "cpus"`, `did you mean "cpu"?`}},
		{"factor that some storage lacks", "storage.slow.cpu: [4, 16]", "storage.*.path: [a, b]", []string{"shop.yaml:25:3: matrix.storage.*.path", `unknown field "path"`}},
		{"factor below a value", "engine.cpu: [1, 2]", "engine.cpu.x: [1, 2]", []string{`"engine.cpu" has no fields below it`}},
		{"factor that cannot vary", "engine.cpu: [1, 2]", "repetitions: [1, 2]", []string{`"repetitions" cannot be varied`}},
		{"level of wrong type", "engine.cpu: [1, 2]", "engine.cpu: [1, two]", []string{"shop.yaml:24:19", `"two" is not a number of cores`, "a number"}},
		{"level that is refused", "storage.slow.cpu: [4, 16]", "storage.slow.media: [hdd, tape]", []string{"shop.yaml:25:29", `no media "tape"`}},
		{"impossible level", "engine.cpu: [1, 2]", "engine.cpu: [1, -2]", []string{"cpu must be 0 (no limit) or more, got -2 cores"}},
		{"storage that is not defined", "storage: [slow, fast]", "storage: [slow, fats]", []string{"shop.yaml:23:19", `unknown storage "fats"`, `did you mean "fast"?`}},
		{"factor of no storage", "storage.slow.cpu", "storage.slwo.cpu", []string{`unknown storage "slwo"`, `did you mean "slow"?`}},
		{"level twice", "engine.cpu: [1, 2]", "engine.cpu: [1, 1]", []string{"duplicate level 1"}},
		{"excluded level", "engine.cpu: 2}", "engine.cpu: 3}", []string{"shop.yaml:27:35", `engine.cpu has no level "3"`}},
		{"objective without unit", "p95 <= 200ms", "p95 < 200", []string{`did you mean "p95 <= 200ms"?`}},
		{"share without sign", "p95 <= 200ms", "errors < 1", []string{`did you mean "errors <= 1%"?`}},
		{"bare share", "p95 <= 200ms", "errors <= 0.01", []string{`"0.01" has no percent sign`, `did you mean "1%" or "0.01%"?`}},
		{"objective without limit", "p95 <= 200ms", "p95 < 200ms", []string{"shop.yaml:32:14: objectives.0", `did you mean "p95 <= 200ms"?`}},
		{"objective of unknown metric", "p95 <= 200ms", "p955 <= 200ms", []string{`unknown metric "p955"`, `did you mean "p95"?`}},
		{"limit without unit", "p95 <= 200ms", "p95 <= 200", []string{"not a duration", "200s or 200ms"}},
		{"objective of unknown operation", "purchase p99", "purchsae p99", []string{`no operation "purchsae"`, `did you mean "purchase"?`}},
		{"two limits", "errors <= 0.1%", "p95 <= 300ms", []string{"p95 has two limits"}},
		{"errors above all", "errors <= 0.1%", "errors <= 120%", []string{"is not a percentage"}},
		{"NaN price", "price: 23735", "price: .nan", []string{"prices.items.0.price", `found ".nan"`, "a number"}},
		{"negative price", "price: 23735", "price: -1", []string{"-1 is negative"}},
		{"price for nothing", "for: {storage: fast}", "for: {storage: fsat}", []string{`storage has no level "fsat"`, `did you mean "fast"?`}},
		{"currency", "currency: USD", "currency: dollars", []string{`"dollars" is not a currency`}},
		{"fault", "do: kill peer 2", "do: kill pear 2", []string{"shop.yaml:41:19: faults.0.do", `"kill pear 2" is not a fault`, "kill peer N"}},
		{"fault of nothing", "do: kill peer 2", `do: ""`, []string{"the fault has no action"}},
		{"fault after the end", "at: 60s", "at: 6m", []string{"faults.0.at", "not within the measured phase"}},
		{"fault at the end", "at: 60s", "at: 5m", []string{"faults.0.at", "not within the measured phase"}},
		{"faults out of order", "  - {at: 60s", "  - {at: 70s, do: kill instance 0}\n  - {at: 60s", []string{"shop.yaml:42:10: faults.1.at", "1m is listed after 1m10s"}},
		{"fault of a peer that one storage lacks", "do: kill peer 2", "do: kill peer 3", []string{`storage slow does not support "kill peer 3": peer 3 does not exist; the disk has 1 to 2`}},
		{"fault that makes no sense after the others", "kill peer 2}", "kill peer 2}\n  - {at: 70s, do: kill peer 2}", []string{"shop.yaml:42:19: faults.1.do", "peer 2 cannot be killed then"}},
		{"fault of a class that has none", "    faults: null\n", "", []string{"storage fast is of class directory, which does not support fault"}},
		{"unknown end", "measure: 5m", "measure: 5m, end: cut pwoer", []string{"shop.yaml:30:40: phases.end", `unknown end of the load "cut pwoer"`, `did you mean "cut power"?`}},
		{"end that a class cannot do", "measure: 5m", "measure: 5m, end: cut power", []string{"shop.yaml:30:40: phases.end", `"cut power" is not a fault of a disk`}},
		{"fault of an instance that a rung lacks", "do: kill peer 2", "do: kill instance 1", []string{"instance 1 does not exist at the rung of 1 instance, only 0"}},
		{"fault of an instance that a search lacks", "[1, 2, 8]\nrepetitions", "{auto: {from: 3}}\nfaults: [{at: 1s, do: kill instance 3}]\nrepetitions", []string{"instance 3 does not exist at the rung of 3 instances, only 0 to 2"}},
		{"name", "study: shop-on-disks", "study: ../shop", []string{`"../shop" is not a valid study name`}},
		{"storage name", "  fast:\n    class: disk", "  f/st:\n    class: disk", []string{`"f/st" is not a valid storage name`}},
		{"name missing", "study: shop-on-disks\n", "", []string{"study is missing"}},
		{"class missing", "    class: disk\n    media: ssd", "    media: ssd", []string{"storage.fast", "no class", "directory, disk"}},
		{"setting", "shared_buffers:", "shared buffers:", []string{`"shared buffers" is not a valid setting name`}},
		{"tab", "  memory: 5Gi", "\tmemory: 5Gi", []string{"not valid YAML", "spaces"}},
		{"tag", "memory: 5Gi", "memory: !!str 5Gi", []string{"tag"}},
		{"unknown alias", "memory: 5Gi", "memory: *no", []string{"&no"}},
		{"problem in a profile", "{to: 16}", "{too: 16}", []string{"ladder.auto.too", `did you mean "to"?`}},
		{"profile in a profile", "    reduced: true", "    profiles: {}", []string{"a profile cannot contain profiles"}},
		{"kind of answer", "repetitions:", "answer: {kind: effekt}\nrepetitions:", []string{"answer.kind", `answer.kind is "effekt"`, "effect"}},
		{"factor of an answer", "repetitions:", "answer: {kind: comparison, factor: colour}\nrepetitions:", []string{"answer.factor", "the study has no factor colour"}},
		{"prices of an answer", "repetitions:", "answer: {per: price}\nrepetitions:", []string{"answer.per", "needs the prices"}},
		{"metric of an answer", "repetitions:", "answer: {kind: comparison, factor: storage, metric: p97}\nrepetitions:", []string{"answer.metric", `answer.metric is "p97"`}},
		{"operation of an answer", "repetitions:", "answer: {kind: comparison, factor: storage, metric: purchas p99}\nrepetitions:", []string{"answer.metric", `has no operation "purchas"`, "purchase"}},
		{"metric of a kind of answer", "repetitions:", "answer: {kind: scaling, metric: p99}\nrepetitions:", []string{"answer.metric", "has no metric of its own"}},
		{"metric over a unit", "repetitions:", "answer: {kind: comparison, factor: storage, metric: p99, per: core}\nrepetitions:", []string{"answer.per", "throughput is divided by core"}},
		{"rung of an answer", "repetitions:", "answer: {kind: comparison, factor: storage, at: 77}\nrepetitions:", []string{"answer.at", "the ladder has no rung 77"}},
		{"place of an answer", "repetitions:", "answer: {kind: comparison, factor: storage, at: peak}\nrepetitions:", []string{"answer.at", `answer.at is "peak"`, "objective"}},
		{"rung of a kind of answer", "repetitions:", "answer: {kind: effect, factor: storage, at: best}\nrepetitions:", []string{"answer.at", "not read at one rung"}},
		{"unit of an answer", "repetitions:", "answer: {per: drives}\nrepetitions:", []string{"answer.per", `answer.per is "drives"`, "drive"}},
		{"grade", "repetitions:", "min_grade: G\nrepetitions:", []string{"min_grade", `unknown grade "G"`, "A, B, C, D, E or F"}},
		{"telemetry slower than the trial", "interval: 10s", "interval: 10m", []string{"longer than the measured phase"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := study.Parse("shop.yaml", []byte(edit(t, c.old, c.replacement)), "", vocabulary())
			var problems *study.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("got %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in:\n%v", want, err)
				}
			}
		})
	}
}

// hundreds is a ladder of many rungs.
func hundreds() string {
	var rungs []string
	for i := range 300 {
		rungs = append(rungs, strconv.Itoa(i+1))
	}
	return strings.Join(rungs, ", ")
}

// Editors on some systems put a byte-order mark before the text.
func TestByteOrderMarkIsPassedOver(t *testing.T) {
	if s := parse(t, "\ufeff"+good, ""); s.Name != "shop-on-disks" {
		t.Errorf("read %+v", s)
	}
	_, err := study.Parse("shop.yaml", []byte("\ufeffstudy: Shop\n"), "", vocabulary())
	if err == nil || !strings.Contains(err.Error(), "shop.yaml:1:8: study") {
		t.Errorf("the place is shifted: %v", err)
	}
}

func TestAllProblemsAtOnceInOrder(t *testing.T) {
	text := strings.NewReplacer("memory: 5Gi", "memory: 5gb", "users: 8", "users: 0", "study: shop-on-disks", "study: Shop", "[1, 2, 8]", "[2, 1]").Replace(good)
	_, err := study.Parse("shop.yaml", []byte(text), "laptpo", vocabulary())
	var problems *study.Problems
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	var lines []int
	for _, p := range problems.List {
		lines = append(lines, p.Line)
	}
	if diff := cmp.Diff([]int{1, 10, 28, 31, 43}, lines); diff != "" {
		t.Errorf("%s\n%v", diff, err)
	}
	if !strings.Contains(err.Error(), `did you mean "laptop"?`) {
		t.Errorf("the profile is not named: %v", err)
	}
}

func TestNotAStudy(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "comment": "# nothing\n", "list": "- a\n", "text": "hello", "two": "study: a\n---\nstudy: b\n",
		"binary": "\x00\x01", "brackets": strings.Repeat("[", 10_000), "open": "study: [", "colon": ":", "large": strings.Repeat("#", 300<<10),
		"bomb": "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := study.Parse("x.yaml", []byte(text), "", vocabulary())
			var problems *study.Problems
			if !errors.As(err, &problems) || len(problems.List) == 0 {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestReadBackFromJSON(t *testing.T) {
	s := parse(t, good, "")
	want, err := s.Expand()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back study.Study
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if err := study.Rebind(&back, vocabulary()); err != nil {
		t.Fatal(err)
	}
	back.Matrix, s.Matrix = s.Matrix, back.Matrix // levels come back as floating point
	if diff := cmp.Diff(s.Members[0].Workload, back.Members[0].Workload); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(s.Storage, back.Storage); diff != "" {
		t.Error(diff)
	}
	back.Matrix = s.Matrix
	got, err := back.Expand()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestRebindRefusesWhatIsGone(t *testing.T) {
	s := parse(t, good, "")
	v := vocabulary()
	delete(v.Classes, "disk")
	if err := study.Rebind(s, v); err == nil || !strings.Contains(err.Error(), `"disk"`) {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("study: &a [*a]\n"))
	f.Add([]byte("? [a]\n: b\n<<: {a: 1}\n"))
	f.Add([]byte("matrix: {exclude: [1], storage: {}, x: 1}\nprofiles: {a: 1, b: {storage: 1}}\n"))
	f.Add([]byte(strings.Replace(good, "media: ssd", "media: tape", 1)))
	f.Add([]byte("storage: {a: {otherwise: {otherwise: 1}}}\nladder: {auto: 1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := study.Parse("f.yaml", data, "", vocabulary())
		if (s == nil) == (err == nil) {
			t.Fatalf("study %v and error %v", s, err)
		}
		if err != nil {
			_ = err.Error()
		}
		study.Profiles(data)
	})
}
