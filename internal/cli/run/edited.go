package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// unedited refuses to continue a run with a study.yaml that was edited after the run was planned:
// the finished trials could not be compared with trials of another study.
func (o *runOptions) unedited(planned *study.Study, text []byte) error {
	if o.force {
		return nil // it goes on as it was planned
	}
	file := filepath.Join(o.resume, result.StudyFile)
	now, err := study.Parse(file, text, planned.Profile, facts.Vocabulary(registry.Parts()), planned.Set...)
	what := "it has problems now"
	if err == nil {
		what = differences(planned, now)
	}
	if what == "" {
		return nil
	}
	return command.WithCode(fmt.Errorf("--resume: %s was edited after the run began: %s; a run goes on with the study that it was planned from", file, what), command.ExitUsage,
		"as it was planned: plimsoll run --resume "+words.Shell(o.resume)+" --force\nas it is now, as a new run: plimsoll run "+words.Shell(file))
}

// mostDifferences is how many fields a message names.
const mostDifferences = 4

// differences names the fields of a study that have another value now; empty where none
// has.
func differences(planned, now *study.Study) string {
	before, after := fieldsOf(planned), fieldsOf(now)
	var all []string
	for _, path := range slices.Compact(slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after))...)))) {
		was, is := before[path], after[path]
		switch {
		case was == is:
		case was == "":
			all = append(all, fmt.Sprintf("%s is %s", path, is))
		case is == "":
			all = append(all, fmt.Sprintf("%s was %s", path, was))
		default:
			all = append(all, fmt.Sprintf("%s was %s and is %s", path, was, is))
		}
	}
	if more := len(all) - mostDifferences; more > 0 {
		all = append(all[:mostDifferences], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// fieldsOf are the values of a study by their paths, as JSON. The platform may be chosen
// by a flag, and is not among them.
func fieldsOf(s *study.Study) map[string]string {
	fields := map[string]string{}
	flatten(fields, "", without(s, "platform", "storage_order", "set", "profile", "members"))
	for _, m := range s.Members {
		if m.Name == "" {
			flatten(fields, "", without(m.Application))
		} else {
			flatten(fields, "members."+m.Name, without(m, "name"))
		}
	}
	return fields
}

// without returns the fields of a value that came out of JSON or YAML, without some of them.
func without(value any, keys ...string) (tree map[string]any) {
	text, _ := json.Marshal(value)
	_ = json.Unmarshal(text, &tree)
	for _, key := range keys {
		delete(tree, key)
	}
	return tree
}

func flatten(into map[string]string, path string, value any) {
	if below, ok := value.(map[string]any); ok {
		for key, v := range below {
			flatten(into, strings.TrimPrefix(path+"."+key, "."), v)
		}
		return
	}
	if v := reflect.ValueOf(value); !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return
	}
	text, _ := json.Marshal(value)
	into[path] = string(text)
}
