//go:build pseudo

package analysis_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/sizing"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/host/archive"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
	"plimsoll/reference"
)

// In the language that marks its letters, every text of the analysis is marked: no sentence is lost to a
// translation, as one is that does not go through say.F. Names that a run gives, units and code stay.
func TestNoSentenceIsLost(t *testing.T) {
	c := checker{t, map[string]bool{}}
	for name, run := range manyRuns(t) {
		a, err := analysis.Analyse(run, analysis.Options{})
		if a == nil {
			t.Fatalf("%s: %v", name, err)
		}
		c.check(name, a, namesOf(t, a.Warnings, a, run.Plan, run.Trials, run.Machine, run.ID))
	}
	for _, repetitions := range []int{1, 3} {
		one, other := sideOf(repetitions, 0.1, 1), sideOf(repetitions, 0.12, 2)
		limit, err := family.ParseCondition("p95 > +5%")
		if err != nil {
			t.Fatal(err)
		}
		compared, err := compare.Runs(compare.Side{Run: one, Label: "one"}, compare.Side{Run: other, Label: "other"}, compare.Options{FailIf: []family.Condition{limit}})
		if err != nil {
			t.Fatal(err)
		}
		c.check("compared", compared, namesOf(t, compared.Warnings, nil, one.Plan, one.Trials, "p95 > +5%"))
	}
	demand := &sizing.Demand{Name: "demand", Instances: 40, Profile: "small-files", Capacity: 4e10, Growth: 0.2, Years: 3}
	sized, err := sizing.Size(demand, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.check("sized", sized, namesOf(t, sized.Warnings, nil, demand, "standard", "dense", "replica 2 on RAID 10+2", "disperse 4+2 on JBOD"))
}

// sideOf is a run of two rungs with such a response time.
func sideOf(repetitions int, response float64, seed uint64) *result.Run {
	return analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Power(response, 0.3)}}, Rungs: []int{2, 8}, Repetitions: repetitions,
		Objectives: analysistest.MeanBelow(1), Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02},
	}.Run(seed)
}

// checker reports what is plain in texts, once for each field and first word.
type checker struct {
	t    *testing.T
	lost map[string]bool
}

func (c checker) check(name string, value any, names runNames) {
	c.t.Helper()
	texts := 0
	everyString(c.t, value, func(path, text string) {
		if !strings.Contains(text, " ") || strings.HasSuffix(path, "*") || names.whole[text] || named.MatchString(path) {
			return
		}
		texts++
		if plain := names.plain(text); len(plain) > 0 && !c.lost[path+plain[0]] {
			c.lost[path+plain[0]] = true
			c.t.Errorf("%s %s has %q, which did not come through say.F: %s", name, path, plain, text)
		}
	})
	if texts == 0 {
		c.t.Errorf("%s has no text", name)
	}
}

// named are the fields whose texts a person or another program wrote, code, and values that other
// programs decide by.
var named = regexp.MustCompile(`^/(?:study|settings|machines?|beside|run)\b|/(?:source|label|levels?|factors|parameters|description|options|cause|variant|set|fragment|status|asks|shared|verdict|protection)$`)

// called are the fields in which the analysis calls something by a name that other fields repeat.
var called = regexp.MustCompile(`/(?:resources|waits|growth|factors)/0/name$`)

// units are what stays with a figure, in any language.
var units = strings.Fields(`s ms µs min h d cores core B KB kB MB GB TB PB KiB MiB GiB TiB GHz MHz Gb Mb IOPS CPU RAM I O p50 p90 p95 p99 A B C D E F RAID JBOD NVMe ×`)

// runNames are what a run calls things: words, and texts of several.
type runNames struct {
	words  map[string]bool
	whole  map[string]bool
	phrase *strings.Replacer
}

// codes and words of a text.
var code, word = regexp.MustCompile("`[^`]*`|“[^”]*”"), regexp.MustCompile(`[A-Za-zµ][A-Za-z0-9_./:+-]*`)

// plain are the words of a text that are neither marked nor names.
func (n runNames) plain(text string) []string {
	text = n.phrase.Replace(code.ReplaceAllString(text, " "))
	return slices.DeleteFunc(word.FindAllString(text, -1), func(w string) bool {
		w = strings.TrimRight(w, ".:/-+")
		return n.words[w] || len(w) > 1 && strings.ContainsAny(w, "0123456789")
	})
}

// namesOf are the names in some sources, and what an analysis calls things; warnings are texts of their own.
func namesOf(t *testing.T, warnings []trust.Warning, a *analysis.Analysis, sources ...any) runNames {
	n := runNames{words: map[string]bool{}, whole: map[string]bool{}}
	for _, u := range units {
		n.words[u] = true
	}
	phrases := map[string]bool{}
	for _, w := range warnings {
		sources = append(sources, w.Names, w.Trial)
	}
	for _, source := range sources {
		everyString(t, source, func(_, text string) {
			if !strings.Contains(text, " ") {
				for _, w := range word.FindAllString(text, -1) {
					n.words[strings.TrimRight(w, ".:/-+")] = true
				}
				return
			}
			n.whole[text] = true
			if len(text) > 3 {
				phrases[text], phrases[words.Capital(text)] = true, true
			}
		})
	}
	everyString(t, a, func(path, text string) {
		if called.MatchString(path) {
			n.whole[text] = true
			plain, _, _ := strings.Cut(text, " (") // as running text has it
			for _, name := range []string{text, plain, words.Capital(plain)} {
				if strings.Contains(name, " ") {
					phrases[name] = true
				} else {
					n.words[name] = true
				}
			}
		}
	})
	var pairs []string
	for _, phrase := range slices.SortedFunc(maps.Keys(phrases), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) { // the longest first
		pairs = append(pairs, phrase, " ")
	}
	n.phrase = strings.NewReplacer(pairs...)
	return n
}

// everyString visits all strings of the JSON of a value; the path of a key ends with a star.
func everyString(t *testing.T, value any, visit func(path, text string)) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	walk("", tree, visit)
}

func walk(path string, value any, visit func(path, text string)) {
	switch v := value.(type) {
	case string:
		visit(path, v)
	case []any:
		for _, one := range v {
			walk(path+"/0", one, visit)
		}
	case map[string]any:
		for key, one := range v {
			visit(path+"/"+key+"*", key)
			walk(path+"/"+key, one, visit)
		}
	}
}

// manyRuns are runs of all kinds of studies: recorded, published and made up.
func manyRuns(t *testing.T) map[string]*result.Run {
	t.Helper()
	all := map[string]*result.Run{
		"tenants": analysistest.Tenants([]int{1, 2, 4}, 3, analysistest.Noise{Throughput: 0.02, Response: 0.02}, 1,
			analysistest.Tenant{Member: study.Member{Name: "shop"}, Mean: 0.02, Grows: 0.4, OPM: 900, Falls: 0.1}, analysistest.Tenant{Member: study.Member{Name: "mail"}, Mean: 0.05, Grows: 1.2, OPM: 300, Falls: 0.4}),
	}
	for _, name := range reference.Names() {
		run, err := reference.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all["published "+name] = run
	}
	packed, err := filepath.Glob("../cli/testdata/*/*.tar.gz")
	if err != nil || len(packed) == 0 {
		t.Fatal("no recorded runs", err)
	}
	for _, name := range packed {
		all[filepath.Base(name)] = unpacked(t, name)
	}
	return all
}

func unpacked(t *testing.T, name string) *result.Run {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dir := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(name), ".tar.gz"))
	if err := archive.Read(file, dir); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}
