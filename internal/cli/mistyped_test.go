package cli

import (
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result/resulttest"
)

// What was mistyped gets its nearest name.
func TestMistypedNamesGetTheNearest(t *testing.T) {
	s := newSite(t)
	if err := resulttest.Run("runs/often", []string{"ssd", "hdd-16"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	s.Write("key.yaml", strings.Replace(demand, "profile:", "profil:", 1))
	s.Write("nested.yaml", strings.Replace(demand, "nodes: 3", "nodse: 3", 1))
	s.Write("variant.yaml", strings.Replace(demand, "hdd-16", "hdd-61", 1))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"size", "key.yaml"}, []string{"key.yaml:3:1", `"profil"`, `did you mean "profile"?`}},
		{[]string{"size", "nested.yaml"}, []string{"nested.yaml:6:", `"nodse"`, `"nodes"`}},
		{[]string{"size", "variant.yaml"}, []string{`no variant "hdd-61"`, `did you mean "hdd-16"?`}},
		{[]string{"compare", "runs/often:ssd", "runs/often:hdd-61"}, []string{`no variant "hdd-61"`, `did you mean "hdd-16"?`}},
		{[]string{"compare", "runs/often:ssd", "runs/often:hdd-16", "--fail-if", "troughput < -3%"}, []string{`did you mean "throughput"?`}},
		{[]string{"compare", "runs/often:ssd", "runs/often:hdd-16", "--fail-if", "login p955 > +3%"}, []string{`did you mean "p95"?`}},
	} {
		code, _, errs := s.plimsoll(c.args...)
		for _, want := range c.want {
			if code != command.ExitUsage || !strings.Contains(errs, want) {
				t.Errorf("%v: exit code %d, %s is missing in %s", c.args, code, want, errs)
			}
		}
	}
}

// A value that a flag cannot have is named once, with what the flag takes.
func TestWrongValuesOfFlags(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"plan", "small.yaml", "--within", "fast"}, `--within: "fast" is not a duration; expected a duration: a number and a unit, such as 10ms, 30s or 5m`},
		{[]string{"plan", "small.yaml", "--within", "5 min"}, `--within: "5 min" is not a duration; expected a duration: a number and a unit, such as 10ms, 30s or 5m; did you mean 5m?`},
		{[]string{"run", "small.yaml", "--retries", "many"}, `--retries: found "many"; expected a whole number, such as 4`},
		{[]string{"run", "small.yaml", "--error-limit", "10%"}, `--error-limit: found "10%"; expected a number, such as 0.5`},
		{[]string{"run", "small.yaml", "--cache-limit", "5gb"}, `--cache-limit: "5gb" is not a size; expected a size: a number and a unit, such as 10MB or 5GiB; did you mean 5GB?`},
		{[]string{"list", "--json=maybe"}, `--json: found "maybe"; expected true or false`},
	} {
		code, _, errs := s.plimsoll(c.args...)
		if text := strings.Join(strings.Fields(errs), " "); code != command.ExitUsage || !strings.Contains(text, c.says) || strings.Contains(text, "invalid argument") {
			t.Errorf("%v: exit code %d: %s", c.args, code, errs)
		}
	}
}

// Size says why nothing meets the demand, and a script can tell.
func TestSizeSaysWhyNothingMeetsTheDemand(t *testing.T) {
	s := newSite(t)
	s.Write("unmet.yaml", strings.Replace(demand, "instances: 80", "instances: 80\nsurvive: 5", 1))
	for _, args := range [][]string{{"size", "unmet.yaml"}, {"size", "unmet.yaml", "--json"}} {
		code, out, errs := s.plimsoll(args...)
		words := strings.Join(strings.Fields(out), " ")
		if code != command.ExitUnmet || errs != "" || !strings.Contains(words, "No configuration meets the demand under the sizing rules:") || !strings.Contains(words, "but the demand asks to survive 5") {
			t.Errorf("exit code %d: %s%s", code, out, errs)
		}
	}
}
