package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"plimsoll/internal/app"
)

var _ app.ConfigChecker = Engine{}

// leastMemory is what a server with the smallest shared buffers starts in.
const leastMemory = 48 * mib

// CheckConfig has the server read each setting: `postgres -C` prints a setting
// and ends, after it has judged all that it was given.
func (Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	return app.InScratch("PostgreSQL", func(dir string) ([]app.ConfigProblem, error) {
		file := filepath.Join(dir, "postgresql.conf")
		text := fmt.Sprintf("data_directory = '%[1]s'\nhba_file = '%[1]s/hba'\nident_file = '%[1]s/ident'\n", dir)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		return app.JudgeConfig(c, "PostgreSQL", leastMemory, func(name, value string) *app.ConfigProblem {
			return checkSetting(ctx, in, file, name, value)
		}), ctx.Err()
	})
}

// fatal is the line with which the server refuses a configuration.
var fatal = regexp.MustCompile(`FATAL:\s+(.*)`)

func checkSetting(ctx context.Context, in app.Installation, file, name, value string) *app.ConfigProblem {
	if slices.ContainsFunc(places(), func(s setting) bool { return strings.EqualFold(s.name, name) }) {
		return app.OwnedSetting(name)
	}
	cmd := exec.CommandContext(ctx, in.Paths["postgres"], "-C", "port", "--config-file="+file, "-c", name+"="+value)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	found := fatal.FindStringSubmatch(string(out))
	switch {
	case err == nil || found == nil: // an installation that does not run is found elsewhere
		return nil
	case strings.Contains(found[1], "unrecognized configuration parameter"):
		return app.UnknownSetting("PostgreSQL", in.Version, name, settingNames(ctx, in))
	}
	return &app.ConfigProblem{Reason: found[1]}
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
