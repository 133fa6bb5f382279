package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/study"
)

var _ app.ConfigChecker = Engine{}

// leastMemory is what a server with the smallest shared buffers starts in.
const leastMemory = 48 * mib

// CheckConfig has the server read each setting: `postgres -C` prints a setting
// and ends, after it has judged all that it was given.
func (Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	var all []app.ConfigProblem
	if c.Limits.Memory > 0 && c.Limits.Memory < leastMemory {
		all = append(all, app.ConfigProblem{Field: "memory", Reason: fmt.Sprintf("PostgreSQL does not start in %s", study.Bytes(c.Limits.Memory)),
			Hint: fmt.Sprintf("give it at least %s", study.Bytes(leastMemory))})
	}
	if len(c.Settings) == 0 {
		return all, nil
	}
	dir, err := os.MkdirTemp("", "plimsoll-check-")
	if err != nil {
		return all, fmt.Errorf("check the settings of PostgreSQL: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "postgresql.conf")
	text := fmt.Sprintf("data_directory = '%[1]s'\nhba_file = '%[1]s/hba'\nident_file = '%[1]s/ident'\n", dir)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return all, fmt.Errorf("check the settings of PostgreSQL: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if problem := checkSetting(ctx, in, file, name, c.Settings[name]); problem != nil {
			all = append(all, *problem)
		}
	}
	return all, ctx.Err()
}

// fatal is the line with which the server refuses a configuration.
var fatal = regexp.MustCompile(`FATAL:\s+(.*)`)

func checkSetting(ctx context.Context, in app.Installation, file, name, value string) *app.ConfigProblem {
	problem := &app.ConfigProblem{Field: "settings." + name}
	if owned(name) {
		problem.Reason = "Plimsoll sets " + name + " for every instance"
		problem.Hint = "remove it"
		return problem
	}
	cmd := exec.CommandContext(ctx, in.Paths["postgres"], "-C", "port", "--config-file="+file, "-c", name+"="+value)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err == nil || !errors.As(err, new(*exec.ExitError)) { // an installation that does not run is found elsewhere
		return nil
	}
	found := fatal.FindStringSubmatch(string(out))
	if found == nil {
		return nil
	}
	problem.Reason = found[1]
	if strings.Contains(problem.Reason, "unrecognized configuration parameter") {
		problem.Reason = fmt.Sprintf("PostgreSQL %s has no setting %s", in.Version, name)
		if near := study.Nearest(name, settingNames(ctx, in)); near != "" {
			problem.Hint = "did you mean " + near + "?"
		}
	}
	return problem
}

// owned says that a server of ours would not be found, or not be alone, with
// another value.
func owned(name string) bool {
	return slices.ContainsFunc(places(), func(s setting) bool { return strings.EqualFold(s.name, name) })
}

// settingNames lists the settings that the server knows.
func settingNames(ctx context.Context, in app.Installation) []string {
	out, err := exec.CommandContext(ctx, in.Paths["postgres"], "--describe-config").Output()
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names
}
