package app

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Setting is one line of a server's configuration file: its name and its value.
type Setting [2]string

// Name is the name of the setting.
func (s Setting) Name() string { return s[0] }

// Value is its value.
func (s Setting) Value() string { return s[1] }

// StudySettings are the settings of a study, in the order of their names.
func StudySettings(of map[string]string) (all []Setting) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, Setting{name, of[name]})
	}
	return all
}

// Configuration writes groups of settings, followed by the study's, since the last one
// counts. line formats a setting.
func Configuration(line func(Setting) string, study map[string]string, groups ...[]Setting) string {
	var b strings.Builder
	for _, s := range slices.Concat(groups...) {
		b.WriteString(line(s))
	}
	b.WriteString("# from the study\n")
	for _, s := range StudySettings(study) {
		b.WriteString(line(s))
	}
	return b.String()
}

// unlimited is the memory in bytes that a database without a limit is configured for.
const unlimited = 512 << 20

// DatabaseMemory is the memory in bytes that a database is configured for.
func (c Config) DatabaseMemory() int64 { return cmp.Or(c.Limits.Memory, unlimited) }

// spareConnections are for loading, auditing and looking in.
const spareConnections = 10

// DatabaseConnections is how many a database takes: one for each user, and some to spare.
func (c Config) DatabaseConnections() int { return c.Users + spareConnections }

// Clamp is the number nearest to n that is between two.
func Clamp(n, low, high int64) int64 { return max(low, min(n, high)) }
