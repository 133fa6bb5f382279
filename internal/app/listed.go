package app

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/describe"
)

// ValueCheck says why a value is refused; it says nothing of one that is not.
type ValueCheck func(value string) (refusal string)

// JudgeListed judges a configuration, as JudgeConfig does, by a list of all settings that a study
// may make.
func JudgeListed(in Installation, c Config, product string, least int64, out OutwardSettings, known map[string]ValueCheck) ([]describe.Problem, error) {
	return JudgeConfig(c, product, least, out, func(name, value string) (*describe.Problem, error) {
		check, ok := known[name]
		if !ok {
			return UnknownSetting(product, in.Version, name, slices.Sorted(maps.Keys(known))), nil
		}
		if refusal := check(value); refusal != "" {
			return &describe.Problem{Text: refusal}, nil
		}
		return nil, nil
	})
}

// Whole accepts the whole numbers of a range, which may be open at its end (math.MaxInt).
func Whole(from, to int) ValueCheck {
	return func(value string) string {
		switch n, err := strconv.Atoi(value); {
		case err == nil && n >= from && n <= to:
			return ""
		case to == math.MaxInt:
			return fmt.Sprintf("%q is not a number of %d or more", value, from)
		}
		return fmt.Sprintf("%q is not a number of %d to %d", value, from, to)
	}
}

// Choice accepts some values.
func Choice(values ...string) ValueCheck {
	return func(value string) string {
		if slices.Contains(values, value) {
			return ""
		}
		return fmt.Sprintf("%q is none of %s", value, strings.Join(values, ", "))
	}
}

// AnyValue accepts what only the server itself can judge.
func AnyValue(string) string { return "" }
