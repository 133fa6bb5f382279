package app

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// ConfigChecker finds, before anything is started, what of a configuration an engine's server
// would refuse or silently change.
type ConfigChecker interface {
	// CheckConfig asks the installed server itself about the settings of the study, and
	// compares the limits with the server's least memory.
	CheckConfig(ctx context.Context, in Installation, c Config) ([]describe.Problem, error)
	// Outward lists the settings that are judged without asking a server.
	Outward() OutwardSettings
}

// JudgeConfig compares the memory limit with the least in bytes that a server of the
// product starts in, refuses settings that reach outside the instance, and has judge look
// at every other by name. judge returns nil for an accepted setting, else the reason; the
// field is added.
func JudgeConfig(c Config, product string, least int64, out OutwardSettings, judge func(name, value string) (*describe.Problem, error)) ([]describe.Problem, error) {
	var all []describe.Problem
	if c.Limits.Memory > 0 && c.Limits.Memory < least {
		all = append(all, describe.Problem{Path: "memory", Text: fmt.Sprintf("%s does not start in %s", product, unit.Bytes(c.Limits.Memory)),
			Hint: fmt.Sprintf("give it at least %s", unit.Bytes(least))})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		problem := out.Refuse(name, c.Settings[name])
		if problem == nil {
			var err error
			if problem, err = judge(name, c.Settings[name]); err != nil {
				return all, fmt.Errorf("check the settings of %s: %w", product, err)
			}
		}
		if problem != nil {
			problem.Path = "settings." + name
			all = append(all, *problem)
		}
	}
	return all, nil
}

// OwnedSetting refuses a setting without which a server would not be found, or
// not be alone.
func OwnedSetting(name string) *describe.Problem {
	return &describe.Problem{Text: "Plimsoll sets " + name + " for every instance", Hint: "remove it"}
}

// UnknownSetting refuses a setting that the server does not have, with the
// nearest of those that it has.
func UnknownSetting(product, version, name string, known []string) *describe.Problem {
	problem := &describe.Problem{Text: fmt.Sprintf("%s %s has no setting %s", product, version, name)}
	if near := study.Nearest(name, known); near != "" {
		problem.Hint = "did you mean " + near + "?"
	}
	return problem
}
