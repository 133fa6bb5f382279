package mariadb

import (
	"context"
	"regexp"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/host/confine"
)

// leastMemory is the least in which a server with the smallest buffer pool starts: 50 to 80
// MiB of its own (measured) and 16 MiB.
const leastMemory = 96 * mib

// CheckConfig has the server read each setting: with --help it ends after it
// has judged all that it was given.
func (e Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return app.JudgeConfig(c, "MariaDB", leastMemory, e.Outward(), func(name, value string) (*describe.Problem, error) {
		return checkSetting(ctx, in, name, value)
	})
}

// Outward implements app.ConfigChecker: it refuses settings for paths of our own, and
// settings that load code, run programs or statements of files, or let everyone in.
func (Engine) Outward() app.OutwardSettings {
	out := app.OutwardSettings{
		Owned: []string{"socket", "port", "bind_address", "basedir", "lc_messages_dir"},
		Powers: []string{
			"plugin_load", "plugin_load_add", "plugin_dir", "init_file", "grant_tables", "user", "chroot", "wsrep_*",
			"defaults_file", "defaults_extra_file", "defaults_group_suffix", "no_defaults", "debug", "debug_dbug", "gdb", "log_tc",
		},
		Plain: plain, Abbreviated: true, Whole: []string{"lc_messages"},
	}
	for _, s := range places(app.Installation{}) {
		out.Owned = append(out.Owned, s.Name())
	}
	return out
}

// plain is a name as it is in the table of variables, without the optional prefixes.
func plain(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	for _, prefix := range []string{"loose_", "enable_", "disable_", "skip_", "maximum_", "autoset_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// refusals are the lines in which the server refuses or changes a setting.
var refusals = regexp.MustCompile(`(?m)(?:\[ERROR\] (?:\S*mariadbd: )?(.*)|\[Warning\] (option '.*adjusted to.*))$`)

func checkSetting(ctx context.Context, in app.Installation, name, value string) (*describe.Problem, error) {
	option := "--" + strings.ReplaceAll(name, "_", "-")
	if value != "" {
		option += "=" + value
	}
	text, err := ask(ctx, in, option)
	found := refusals.FindStringSubmatch(text)
	if err != nil || found == nil {
		return nil, err
	}
	reason := found[1] + found[2]
	if strings.HasPrefix(reason, "unknown variable") || strings.HasPrefix(reason, "unknown option") {
		known, err := settingNames(ctx, in)
		return app.UnknownSetting("MariaDB", in.Version, name, known), err
	}
	return &describe.Problem{Text: reason}, nil
}

// ask runs the server with --help, which prints its settings and ends. Its output is
// judged, not its exit status.
func ask(ctx context.Context, in app.Installation, options ...string) (string, error) {
	arguments := []string{"--no-defaults"}
	if base := in.Paths["basedir"]; base != "" {
		arguments = append(arguments, "--basedir="+base, "--lc-messages-dir="+base+"/share")
	}
	out, err := confine.Run(ctx, confine.Program{Path: in.Paths["mariadbd"], Args: append(append(arguments, options...), "--verbose", "--help")})
	return out.Text, err
}

// variable is a line of the table of variables at the end of --help.
var variable = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]+) {2,}\S`)

// settingNames lists the settings that the server knows.
func settingNames(ctx context.Context, in app.Installation) (names []string, err error) {
	text, err := ask(ctx, in)
	_, table, _ := strings.Cut(text, "\nVariables (")
	for _, found := range variable.FindAllStringSubmatch(table, -1) {
		names = append(names, strings.ReplaceAll(found[1], "-", "_"))
	}
	return names, err
}
