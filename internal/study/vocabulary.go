package study

import (
	"sort"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/event"
)

// Vocabulary is what a study may name: the registries of workloads, storage
// classes and engines, as far as this package needs to know them.
type Vocabulary struct {
	Workloads map[string]VocabularyEntry
	Classes   map[string]VocabularyEntry
	Platforms map[string]VocabularyEntry
	Engines   []string
	// EngineEvents declares what servers of an engine can do during a trial, by its name.
	EngineEvents map[string]event.Declaration
	// References are the published results that there are; nil accepts any name.
	References []string
}

// VocabularyEntry describes a workload, a class or a platform with its own parameters.
type VocabularyEntry struct {
	// Defaults gives a pointer to a fresh parameter struct with yaml and json
	// tags and jsonschema descriptions.
	Defaults func() any
	// Validate reports every impossible value of a pointer that Defaults gave;
	// nil accepts everything.
	Validate func(parameters any) []describe.Problem
	// Events declares the events of a class or platform with these parameters, and for nil
	// parameters of any. It is nil for parts without events.
	Events func(parameters any) event.Declaration
	// Text is one sentence for people.
	Text string
	// Roles lists what an instance of a workload consists of; nil is not known.
	Roles func(parameters any) []Role
	// Volumes lists the kinds of volumes that a class hands out; nil is not known.
	Volumes func(parameters any) []string
	// Operations lists what a workload reports, for objectives to name; nil
	// accepts any name.
	Operations func(parameters any) []string
	// Metrics are a workload's own, for objectives to name; nil is none.
	Metrics func(parameters any) []describe.Metric
	// UserRate is how many units of work a second each user of a workload offers by
	// itself; nil, and 0, leave that to the study's load.
	UserRate func(parameters any) float64
}

// roles lists those that servers fill, none where that is not known. Named reports whether
// the study names a server for a role.
func (t VocabularyEntry) roles(parameters any, named func(role string) bool) (servers []Role) {
	if t.Roles == nil || parameters == nil {
		return nil
	}
	for _, r := range t.Roles(parameters) {
		if r = r.filled(named); r.NeedsServer() {
			servers = append(servers, r)
		}
	}
	return servers
}

// sorted lists the engines in alphabetical order, as messages show them.
func (v Vocabulary) sorted() Vocabulary {
	v.Engines = append([]string(nil), v.Engines...)
	sort.Strings(v.Engines)
	return v
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
