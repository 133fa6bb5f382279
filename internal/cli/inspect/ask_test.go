package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/report/supportbundle"
	"plimsoll/internal/report/supportbundle/supportbundletest"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// tokens are forms in which a secret may stand where a run has a string, each with its number in
// it: a word, a sentence, a name with numbers, an address, a number, a path, an assignment.
var tokens = []string{"TOKEN%dX", "the TOKEN%dX of mine", "TOKEN%dX-0001", "https://u:TOKEN%dX@h.example/", "9%06d9", "/srv/TOKEN%dX/1", "password=TOKEN%dX", "a.TOKEN%dX:1", "TOKEN%dX\n::error::"}

// replacedStrings gives a JSON value once for each string in it, values and keys, with a token in
// its place.
func replacedStrings(v any, token func() string, give func(any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, each := range v {
			delete(v, key)
			as := token()
			v[as] = each
			give(nil)
			delete(v, as)
			v[key] = each
			replacedStrings(each, token, func(by any) {
				if by != nil {
					v[key] = by
				}
				give(nil)
				v[key] = each
			})
		}
	case []any:
		for i, each := range v {
			replacedStrings(each, token, func(by any) {
				if by != nil {
					v[i] = by
				}
				give(nil)
				v[i] = each
			})
		}
	case string:
		give(token())
	}
}

// Whatever string of whatever file of a run is a secret: it is not in the archive.
func TestNoStringOfARunIsInTheArchive(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	t.Chdir(t.TempDir())
	const run = "run"
	if err := resulttest.Run(run, []string{"ssd"}, []int{1}, 1, 3); err != nil {
		t.Fatal(err)
	}
	journal := `{"at":"2026-11-25T10:15:00Z","act":"made","object":{"kind":"mount","name":"x","path":"/srv/x","loop":"/dev/loop3"},"event":"note","detail":{"server":"h:5432"}}`
	if err := os.WriteFile(run+"/journal.jsonl", []byte(journal+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := ownWords()
	if err != nil {
		t.Fatal(err)
	}
	number, packedOnes := 0, 0
	pack := func(file string) {
		var archive bytes.Buffer
		p, err := supportbundle.Write(&archive, supportbundle.Options{Dir: run, Name: "customer", Shapes: shapes, Words: own, Histogram: result.CanonicalHistogram})
		if err != nil {
			t.Fatal(err)
		}
		packedOnes += len(p.Files)
		for name, text := range supportbundletest.Files(t, &archive) {
			for _, secret := range []string{"TOKEN", fmt.Sprintf("9%06d9", number), "customer"} {
				if strings.Contains(name+text, secret) {
					t.Errorf("a string of %s is in %s (%s)", file, name, secret)
				}
			}
		}
	}
	files, err := filepath.Glob(run + "/trials/ssd/1/1/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, run+"/plan.json", run+"/machine.json", run+"/journal.jsonl") {
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := bytes.Cut(before, []byte("\n"))
		var v any
		if json.Unmarshal(before, &v) != nil && json.Unmarshal(first, &v) != nil {
			t.Fatalf("%s is not JSON", file)
		}
		token := func() string {
			number++
			return fmt.Sprintf(tokens[number%len(tokens)], number)
		}
		replacedStrings(v, token, func(any) {
			text, err := json.Marshal(v)
			if err == nil {
				err = os.WriteFile(file, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			pack(file)
		})
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if number < 100 || packedOnes < 5*number {
		t.Errorf("%d strings were replaced, and %d files packed", number, packedOnes)
	}
}
