//go:build pseudo

package analysis_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/host/archive"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/reference"
)

// In the language that marks its letters, every text of the analysis is marked: no sentence is lost to a
// translation, as one is that does not go through say.F. Names that a run gives, units and code stay.
func TestNoSentenceIsLost(t *testing.T) {
	lost := map[string]bool{}
	for name, run := range manyRuns(t) {
		a, err := analysis.Analyse(run, analysis.Options{})
		if a == nil {
			t.Fatalf("%s: %v", name, err)
		}
		names := namesOf(t, run, a)
		texts := 0
		everyText(t, a, func(path, text string) {
			if names.whole[text] || named.MatchString(path) {
				return
			}
			texts++
			if plain := names.plain(text); len(plain) > 0 && !lost[path+plain[0]] {
				lost[path+plain[0]] = true
				t.Errorf("%s %s has %q, which did not come through say.F: %s", name, path, plain, text)
			}
		})
		if texts == 0 {
			t.Errorf("%s has no text", name)
		}
	}
}

// named are the fields whose texts a person or another program wrote, code, and values that other
// programs decide by. Warnings have a test of their own.
var named = regexp.MustCompile(`^/(?:study|settings|machines?|beside|run|warnings|grade_reason)\b|/(?:source|label|levels?|factors|parameters|description|options|cause|variant|set|fragment|status|asks|shared)$`)

// called are the fields in which the analysis calls something by a name that other fields repeat.
var called = regexp.MustCompile(`/(?:resources|waits|growth|factors)/0/(?:name|path)$`)

// units are what stays with a figure, in any language.
var units = strings.Fields(`s ms µs min h d cores core B KB kB MB GB TB PB KiB MiB GiB TiB GHz MHz Gb Mb IOPS CPU RAM I O p50 p90 p95 p99 A B C D E F RAID JBOD NVMe ×`)

// runNames are what a run calls things: words, and texts of several.
type runNames struct {
	words  map[string]bool
	whole  map[string]bool
	phrase *strings.Replacer
}

var code, word = regexp.MustCompile("`[^`]*`|“[^”]*”"), regexp.MustCompile(`[A-Za-zµ][A-Za-z0-9_./:+-]*`)

// plain are the words of a text that are neither marked nor names.
func (n runNames) plain(text string) []string {
	text = n.phrase.Replace(code.ReplaceAllString(text, " "))
	return slices.DeleteFunc(word.FindAllString(text, -1), func(w string) bool {
		w = strings.TrimRight(w, ".:/-+")
		return n.words[w] || len(w) > 1 && strings.ContainsAny(w, "0123456789")
	})
}

func namesOf(t *testing.T, run *result.Run, a *analysis.Analysis) runNames {
	n := runNames{words: map[string]bool{}, whole: map[string]bool{}}
	for _, u := range units {
		n.words[u] = true
	}
	var phrases []string
	for _, source := range []any{run.Plan, run.Trials, run.Machine, run.ID, a.Warnings} {
		everyString(t, source, func(_, text string) {
			if !strings.Contains(text, " ") {
				for _, w := range word.FindAllString(text, -1) {
					n.words[strings.TrimRight(w, ".:/-+")] = true
				}
				return
			}
			n.whole[text] = true
			if len(text) > 3 {
				phrases = append(phrases, text, " ")
			}
		})
	}
	everyString(t, a, func(path, text string) {
		if called.MatchString(path) {
			for _, name := range []string{text, strings.ToUpper(text[:1]) + text[1:]} {
				n.whole[name] = true
				phrases = append(phrases, name, " ")
			}
			if plain, _, has := strings.Cut(text, " ("); has {
				phrases = append(phrases, plain, " ", strings.ToUpper(plain[:1])+plain[1:], " ")
			}
		}
	})
	n.phrase = strings.NewReplacer(phrases...)
	return n
}

// everyText visits the texts of an analysis: strings of several words.
func everyText(t *testing.T, a *analysis.Analysis, visit func(path, text string)) {
	everyString(t, a, func(path, text string) {
		if strings.Contains(text, " ") && !strings.HasSuffix(path, "*") {
			visit(path, text)
		}
	})
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
