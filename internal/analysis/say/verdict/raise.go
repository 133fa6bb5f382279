package verdict

import (
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// RaiseText says how to raise a grade: "for a grade of B: `plimsoll run quickstart --set
// repetitions=3` while nothing else runs on the machine". For a study that is not shipped
// it names only the settings, because its file is unknown here.
//
// Needs: A setting, or where something else was seen on the machine a quiet one, that removes the
// gravest warnings.
func RaiseText(a *model.Analysis, shipped bool) string {
	r := a.Raise
	if r == nil {
		return ""
	}
	var how []string
	if shipped {
		how = append(how, "`"+command(a, r.Set)+"`")
	} else if len(r.Set) > 0 {
		how = append(how, say.F("run it with `%s`", strings.Join(flags(r.Set), " ")))
	}
	if len(how) == 0 {
		how = append(how, say.F("run it again"))
	}
	if r.Guests {
		how = append(how, say.F("where the hypervisor gives no CPU to other guests"))
	}
	if r.Idle {
		how = append(how, say.F("while nothing else runs on the machine"))
	}
	return say.F("for a grade of %s: %s", r.To, strings.Join(how, " "))
}

// command runs a shipped study with the run's settings and the new ones.
func command(a *model.Analysis, set []string) string {
	line := []string{"plimsoll", "run", a.Study.Name}
	if a.Study.Profile != "" {
		line = append(line, "--profile", a.Study.Profile)
	}
	return strings.Join(append(line, flags(append(unset(a.Study.Set, set), set...))...), " ")
}

// flags are the --set arguments of plimsoll run, each PATH=VALUE.
func flags(settings []string) (all []string) {
	for _, setting := range settings {
		path, value, _ := strings.Cut(setting, "=")
		all = append(all, "--set", path+"="+words.Shell(value))
	}
	return all
}

// unset are the settings that are not made anew.
func unset(was, now []string) (kept []string) {
	for _, setting := range was {
		path, _, _ := strings.Cut(setting, "=")
		again := false
		for _, n := range now {
			again = again || strings.HasPrefix(n, path+"=")
		}
		if !again {
			kept = append(kept, setting)
		}
	}
	return kept
}
