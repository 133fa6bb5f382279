package api

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// Manager is who manages what Plimsoll makes: the value of ManagedBy, and the field
// manager of server-side apply.
const Manager = "plimsoll"

// Labels of everything that Plimsoll makes.
const (
	ManagedBy = "app.kubernetes.io/managed-by"
	RunLabel  = "plimsoll.io/run"
	RoleLabel = "plimsoll.io/role" // server, task, ...
	NameLabel = "plimsoll.io/name" // what the platform's users call it
)

// Labels are the labels of every object of a run, with further pairs of key and value.
func Labels(runID string, more ...string) map[string]string {
	all := map[string]string{ManagedBy: Manager, RunLabel: LabelValue(runID)}
	for i := 0; i+1 < len(more); i += 2 {
		all[more[i]] = LabelValue(more[i+1])
	}
	return all
}

// OfRun selects what a run made.
func OfRun(runID string) string { return labels.SelectorFromSet(Labels(runID)).String() }

// Ours selects what Plimsoll made in any run.
func Ours() string { return labels.SelectorFromSet(labels.Set{ManagedBy: Manager}).String() }

// longest is the limit of a DNS label (RFC 1123), which bounds most names and label values.
const longest = 63

// Name makes a valid name of an object: a DNS label of RFC 1035, which services
// need. Where that takes more than a change to lower case, a part of a hash keeps
// different names apart.
func Name(parts ...string) string {
	whole := strings.Join(parts, "-")
	plain := strings.ToLower(whole)
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, plain)
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "x" + name
	}
	if name == plain && len(name) <= longest && !strings.HasSuffix(name, "-") {
		return name
	}
	return shortened(name, whole)
}

// LabelValue makes a valid value of a label, in the same way.
func LabelValue(text string) string {
	value := strings.Map(func(r rune) rune {
		if alphanumeric(r) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, text)
	if value == text && len(value) <= longest && (value == "" || alphanumeric(rune(value[0])) && alphanumeric(rune(value[len(value)-1]))) {
		return value
	}
	return shortened("x"+value, text)
}

func alphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// shortened is a truncated name with a part of the hash of the whole text.
func shortened(name, whole string) string {
	const digits = 8
	sum := sha256.Sum256([]byte(whole))
	return strings.TrimRight(name[:min(len(name), longest-digits-1)], "-_.") + "-" + hex.EncodeToString(sum[:])[:digits]
}

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
