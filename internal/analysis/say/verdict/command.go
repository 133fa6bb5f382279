package verdict

import (
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/text/words"
)

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
