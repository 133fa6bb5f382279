package setup

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/study"
)

// LevelText writes a level that says nothing by itself, a number or a switch, with
// the last element of its path as its noun, and any other alone: "4 CPU per instance",
// "3 store servers", "scale 10", "write", "32KB".
func LevelText(path, level string) string {
	if server, is := countOf(path); is {
		if n, err := strconv.Atoi(level); err == nil {
			return counted(n, server)
		}
	}
	if whose, is := CPUOf(path); is {
		return level + " CPU per " + whose
	}
	if _, err := strconv.ParseFloat(level, 64); err == nil || slices.Contains([]string{"true", "false", "on", "off", "yes", "no", "none", ""}, level) {
		return FactorName(path) + " " + level
	}
	return level
}

// counted is a label: "3 store servers".
func counted(n int, server string) string {
	if n == 1 {
		return "1 " + server
	}
	return strconv.Itoa(n) + " " + server + "s"
}

// FactorName is the last element of a factor's path, for charts; of a CPU it says whose,
// of a count of what.
func FactorName(path string) string {
	if whose, is := CPUOf(path); is {
		return "CPU per " + whose
	}
	if server, is := countOf(path); is {
		return server + "s"
	}
	return strings.ReplaceAll(study.Leaf(path), "_", " ")
}

// CPUOf says whose CPU a factor limits: each instance's, each server's of a role, or each
// storage server's.
func CPUOf(path string) (whose string, is bool) {
	parts := strings.Split(path, ".")
	switch {
	case study.Leaf(path) != "cpu":
		return "", false
	case parts[0] == "storage":
		return "storage server", true
	case parts[0] == "stack" && len(parts) == 3:
		return parts[1] + " server", true
	}
	return "instance", true
}

// countOf returns the server that a factor counts, if it does.
func countOf(path string) (server string, is bool) {
	if path == "engine.count" {
		return "server", true
	}
	parts := strings.Split(path, ".")
	if len(parts) == 3 && parts[0] == "stack" && parts[2] == "count" {
		return parts[1] + " server", true
	}
	return "", false
}

// DeploymentPath is the factor that says how instances are set apart.
const DeploymentPath = "deployment"
