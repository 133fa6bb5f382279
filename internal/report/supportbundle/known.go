package supportbundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// pseudonymiser writes only the harmless data of a run's files: numbers, booleans, times,
// quantities, histograms and words of ours. Each foreign name is replaced by a pseudonym,
// the same one everywhere, and so is each text.
type pseudonymiser struct {
	words     map[string]bool
	keys      map[string]bool // of the types of the files
	histogram func(text string) (string, bool)
	others    map[string]string // what stands for a name or a text
	kinds     map[string]int    // how many of each kind there are
	replaced  int
}

func newKnown(o Options) *pseudonymiser {
	k := &pseudonymiser{words: map[string]bool{}, keys: o.Shapes.keys(), histogram: o.Histogram, others: map[string]string{}, kinds: map[string]int{}}
	for _, w := range append(slices.Clone(o.Words), layout...) {
		k.words[w] = true
	}
	return k
}

// layout are the directories and files of every run.
var layout = strings.Fields(`trials baseline logs evidence plan.json machine.json journal.jsonl trial.json audit.json operations.jsonl
	study.yaml telemetry.parquet report.html lock doctor.json`)

// file is a file's text, reduced to harmless data.
func (k *pseudonymiser) file(name string, values []any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	if path.Ext(name) == ".json" {
		e.SetIndent("", "  ")
	}
	for _, v := range values {
		_ = e.Encode(k.value(v, place{own: true})) // what was decoded can be encoded
	}
	return out.Bytes()
}

// place is where a value is: its key, whether that is one of ours, and whether it is below a key
// that takes anybody's keys.
type place struct {
	key       string
	own, free bool
}

// value is what may be packed of a value. A number with somebody's own key may be anything.
func (k *pseudonymiser) value(v any, at place) any {
	switch v := v.(type) {
	case map[string]any:
		return k.object(v, at)
	case []any:
		out := make([]any, len(v))
		for i, each := range v {
			out[i] = k.value(each, at)
		}
		return out
	case json.Number:
		if at.free && !at.own {
			k.replaced++
			return 0
		}
	case string:
		return k.text(v, at.key)
	}
	return v
}

// free are keys below which anybody's keys have anybody's values.
var free = []string{"parameters", "options", "settings", "levels", "exclude", "detail"}

func (k *pseudonymiser) object(v map[string]any, at place) map[string]any {
	out := make(map[string]any, len(v))
	below := at.free || slices.Contains(free, at.key)
	for name, each := range v {
		in := place{key: name, own: k.keys[name] || k.words[name], free: below}
		if !in.own && !small.MatchString(name) {
			name = k.name(name)
		}
		out[name] = k.value(each, in)
	}
	return out
}

var (
	small    = regexp.MustCompile(`^\d{1,6}(\.\d{1,3})?$`) // of a rung, a repetition, an attempt, an instance
	quantity = regexp.MustCompile(`^-?(\d{1,6}(\.\d{1,9})?(ns|us|µs|ms|s|m|h|d|B|kB|KB|KiB|MB|MiB|GB|GiB|TB|TiB|PB|PiB|%|MB/s|MiB/s)){1,4}$`)
	release  = regexp.MustCompile(`^\d{1,3}(\.\d{1,5}){1,2}$`)
	word     = regexp.MustCompile(`^[\pL\pN_.:/@+~-]+$`)
	numbered = regexp.MustCompile(`^(.*?)((?:-\d{1,4})+)$`)
)

// longestName is how many characters a name has at most. The pattern does not count them, because it
// would have a copy of every letter for each: 8 MB in every process of a run.
const longestName = 200

// text is what stands for a string of a key.
func (k *pseudonymiser) text(s, key string) string {
	switch {
	case s == "" || k.words[s] || quantity.MatchString(s) || release.MatchString(s):
		return s
	case key == "histogram":
		if h, ok := k.histogram(s); ok {
			return h
		}
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t.Format(time.RFC3339Nano)
	}
	if utf8.RuneCountInString(s) <= longestName && word.MatchString(s) {
		return k.name(s)
	}
	return k.other("text", s)
}

// name is what stands for a name: its parts are names themselves, and the numbers that ours end
// in stay, so that "a/4/2" is still repetition 2 of rung 4 of a variant.
func (k *pseudonymiser) name(s string) string {
	if k.words[s] {
		return s
	}
	for _, between := range []string{"/", ":", "."} {
		if parts := strings.Split(s, between); len(parts) > 1 {
			for i, p := range parts {
				if p != "" && !(between == "/" && i > 0 && len(parts) == 3 && small.MatchString(p)) {
					parts[i] = k.name(p)
				}
			}
			return strings.Join(parts, between)
		}
	}
	if alone, ok := strings.CutPrefix(s, "alone-"); ok && alone != "" {
		return "alone-" + k.name(alone)
	}
	if n := numbered.FindStringSubmatch(s); n != nil && k.words[n[1]] {
		return s
	}
	return k.other("name", s)
}

// path is what a file of a run is called.
func (k *pseudonymiser) path(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		if !small.MatchString(p) {
			parts[i] = k.name(p)
		}
	}
	return strings.Join(parts, "/")
}

// other is what stands for a text of a kind.
func (k *pseudonymiser) other(kind, s string) string {
	if s == "" {
		return s
	}
	if k.others[s] == "" {
		k.kinds[kind]++
		k.others[s] = fmt.Sprintf("%s-%d", kind, k.kinds[kind])
	}
	k.replaced++
	return k.others[s]
}

// clean reduces files to harmless data, under other names.
func (k *pseudonymiser) clean(shapes Shapes, files map[string][]byte, leave func(name, why string)) map[string][]byte {
	out := map[string][]byte{}
	for _, name := range sorted(files) { // so that equal runs are renamed alike
		values, lost := shapes.shaped(name, files[name])
		if lost > 0 {
			leave(name, fmt.Sprintf("%d of its lines are not what they should be", lost))
		}
		if values != nil {
			out[k.path(name)] = k.file(name, values)
		}
	}
	return out
}
