package app

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"plimsoll/internal/study"
)

// ConfigChecker is an engine that can tell, before anything is started, what
// of a configuration its server would refuse or silently change.
type ConfigChecker interface {
	// CheckConfig asks the installed server itself about the settings of the
	// study, and compares the limits with what the server needs to start.
	CheckConfig(ctx context.Context, in Installation, c Config) ([]ConfigProblem, error)
}

// ConfigProblem is one impossible part of a configuration.
type ConfigProblem struct {
	Field  string // key below engine: in a study, such as settings.work_mem
	Reason string // what the server says, in its words where it has some
	Hint   string // what to write instead; may be empty
}

// InScratch has a check of a product's settings use a directory of its own, which is
// removed afterwards.
func InScratch(product string, check func(dir string) ([]ConfigProblem, error)) ([]ConfigProblem, error) {
	dir, err := os.MkdirTemp("", "plimsoll-check-")
	if err != nil {
		return nil, fmt.Errorf("check the settings of %s: %w", product, err)
	}
	defer os.RemoveAll(dir)
	found, err := check(dir)
	if err != nil {
		return found, fmt.Errorf("check the settings of %s: %w", product, err)
	}
	return found, nil
}

// JudgeConfig compares the memory limit with the least in bytes that a server
// of the product starts in, and has judge look at every setting by name. judge
// gives nil for what the server accepts, else the reason; the field is added.
func JudgeConfig(c Config, product string, least int64, judge func(name, value string) *ConfigProblem) []ConfigProblem {
	var all []ConfigProblem
	if c.Limits.Memory > 0 && c.Limits.Memory < least {
		all = append(all, ConfigProblem{Field: "memory", Reason: fmt.Sprintf("%s does not start in %s", product, study.Bytes(c.Limits.Memory)),
			Hint: fmt.Sprintf("give it at least %s", study.Bytes(least))})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if problem := judge(name, c.Settings[name]); problem != nil {
			problem.Field = "settings." + name
			all = append(all, *problem)
		}
	}
	return all
}

// OwnedSetting refuses a setting without which a server would not be found, or
// not be alone.
func OwnedSetting(name string) *ConfigProblem {
	return &ConfigProblem{Reason: "Plimsoll sets " + name + " for every instance", Hint: "remove it"}
}

// UnknownSetting refuses a setting that the server does not have, with the
// nearest of those that it has.
func UnknownSetting(product, version, name string, known []string) *ConfigProblem {
	problem := &ConfigProblem{Reason: fmt.Sprintf("%s %s has no setting %s", product, version, name)}
	if near := study.Nearest(name, known); near != "" {
		problem.Hint = "did you mean " + near + "?"
	}
	return problem
}
