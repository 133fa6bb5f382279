package verdict

import (
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/words"
)

// RaiseText says how to raise a grade: "for a B: run `plimsoll run quickstart --set
// repetitions=3` while the machine does nothing else".
func RaiseText(a *model.Analysis) string {
	r := a.Raise
	if r == nil {
		return ""
	}
	command := []string{"plimsoll", "run", words.Shell(a.Study.Name)}
	if a.Study.Profile != "" {
		command = append(command, "--profile", words.Shell(a.Study.Profile))
	}
	for _, setting := range append(unset(a.Study.Set, r.Set), r.Set...) {
		path, value, _ := strings.Cut(setting, "=")
		command = append(command, "--set", path+"="+words.Shell(value))
	}
	text := "for a grade of " + r.To + ": `" + strings.Join(command, " ") + "`"
	if r.Idle {
		text += " while nothing else runs on the machine"
	}
	return text
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
