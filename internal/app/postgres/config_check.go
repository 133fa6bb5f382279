package postgres

import (
	"context"
	"path"
	"regexp"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/host/confine"
)

// leastMemory is the least in which a server with the smallest shared buffers starts, in
// bytes.
const leastMemory = 48 * mib

// CheckConfig has the server read each setting: `postgres -C` prints a setting
// and ends, after it has judged all that it was given.
func (e Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return app.JudgeConfig(c, "PostgreSQL", leastMemory, e.Outward(), func(name, value string) (*describe.Problem, error) {
		return checkSetting(ctx, in, name, value)
	})
}

// Outward implements app.ConfigChecker: it refuses settings for paths of our own, files
// included in the configuration, and settings with a command or code as their value.
func (Engine) Outward() app.OutwardSettings {
	out := app.OutwardSettings{
		Powers: []string{
			"config_file", "include", "include_if_exists", "include_dir", "external_pid_file", "dynamic_library_path",
			"archive_command", "archive_library", "archive_cleanup_command", "restore_command", "recovery_end_command", "ssl_passphrase_command",
			"primary_conninfo", "plperl.*", "pltcl.*", "plpython*",
		},
		Libraries: []string{"shared_preload_libraries", "session_preload_libraries", "local_preload_libraries", "jit_provider", "oauth_validator_libraries"},
	}
	for _, s := range places() {
		out.Owned = append(out.Owned, s.Name())
	}
	return out
}

// fatal is the line with which the server refuses a configuration.
var fatal = regexp.MustCompile(`FATAL:\s+(.*)`)

// checked is a configuration of paths only; the check reads none of them.
const checked = "data_directory = '${RUNTIME}'\nhba_file = '${RUNTIME}/hba'\nident_file = '${RUNTIME}/ident'\n"

func checkSetting(ctx context.Context, in app.Installation, name, value string) (*describe.Problem, error) {
	out, err := confine.Run(ctx, confine.Program{
		Path: in.Paths["postgres"], Args: []string{"-C", "port", "--config-file=" + configFile, "-c", name + "=" + value},
		Files: map[string]string{path.Base(configFile): checked},
	})
	found := fatal.FindStringSubmatch(out.Text)
	switch {
	case err != nil || out.OK || found == nil: // an installation that does not run is found elsewhere
		return nil, err
	case strings.Contains(found[1], "unrecognized configuration parameter"):
		known, err := settingNames(ctx, in)
		return app.UnknownSetting("PostgreSQL", in.Version, name, known), err
	}
	return &describe.Problem{Text: found[1]}, nil
}

// settingNames lists the settings that the server knows.
func settingNames(ctx context.Context, in app.Installation) (names []string, err error) {
	out, err := confine.Run(ctx, confine.Program{Path: in.Paths["postgres"], Args: []string{"--describe-config"}})
	if !out.OK {
		return nil, err
	}
	for line := range strings.Lines(out.Text) {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names, err
}
