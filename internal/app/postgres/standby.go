package postgres

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// counted is the number of standbys at the beginning of synchronous_standby_names, as in
// FIRST 2 (a, b) (manual, "Replication").
var counted = regexp.MustCompile(`(?i)^\s*(?:(?:first|any)\s+)?(\d+)\s*\(`)

// waitsForStandbys reports that no commit would end, since fewer standbys are connected
// than it waits for; empty where it would.
func waitsForStandbys(commit, names string, connected int) string {
	if names == "" || slices.Contains([]string{"off", "local"}, commit) {
		return ""
	}
	needed := 1
	if m := counted.FindStringSubmatch(names); m != nil {
		needed, _ = strconv.Atoi(m[1]) // they are digits
	}
	if connected >= needed {
		return ""
	}
	return fmt.Sprintf("every commit waits for a standby that is away: synchronous_standby_names is %q, which wants %d, and %d are connected; bring them back, or set synchronous_commit = local for the user", names, needed, connected)
}
