package mariadb

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"plimsoll/internal/app"
)

var _ app.ConfigChecker = Engine{}

// leastMemory is what a server with the smallest buffer pool starts in: 50 to
// 80 MiB of its own (measured) and 16 MiB.
const leastMemory = 96 * mib

// CheckConfig has the server read each setting: with --help it ends after it
// has judged all that it was given.
func (Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	return app.JudgeConfig(c, "MariaDB", leastMemory, func(name, value string) *app.ConfigProblem {
		return checkSetting(ctx, in, name, value)
	}), ctx.Err()
}

// refusals are the lines in which the server refuses or changes a setting.
var refusals = regexp.MustCompile(`(?m)(?:\[ERROR\] (?:\S*mariadbd: )?(.*)|\[Warning\] (option '.*adjusted to.*))$`)

func checkSetting(ctx context.Context, in app.Installation, name, value string) *app.ConfigProblem {
	if owned(in, name) {
		return app.OwnedSetting(name)
	}
	option := "--" + strings.ReplaceAll(name, "_", "-")
	if value != "" {
		option += "=" + value
	}
	found := refusals.FindStringSubmatch(ask(ctx, in, option))
	if found == nil {
		return nil
	}
	reason := found[1] + found[2]
	if strings.HasPrefix(reason, "unknown variable") || strings.HasPrefix(reason, "unknown option") {
		return app.UnknownSetting("MariaDB", in.Version, name, settingNames(ctx, in))
	}
	return &app.ConfigProblem{Reason: reason}
}

// ask starts the server with --help, which prints what it knows and ends.
func ask(ctx context.Context, in app.Installation, options ...string) string {
	arguments := []string{"--no-defaults"}
	if base := in.Paths["basedir"]; base != "" {
		arguments = append(arguments, "--basedir="+base, "--lc-messages-dir="+base+"/share")
	}
	arguments = append(append(arguments, options...), "--verbose", "--help")
	out, _ := exec.CommandContext(ctx, in.Paths["mariadbd"], arguments...).CombinedOutput() // what it says is judged, not how it ends
	return string(out)
}

// owned says that a server of ours would not be found, or not be alone, with
// another value.
func owned(in app.Installation, name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	others := []setting{{name: "socket"}, {name: "port"}, {name: "bind_address"}}
	return slices.ContainsFunc(append(places(in), others...), func(s setting) bool { return s.name == name })
}

// variable is a line of the table of variables at the end of --help.
var variable = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]+) {2,}\S`)

// settingNames lists the settings that the server knows.
func settingNames(ctx context.Context, in app.Installation) []string {
	_, table, _ := strings.Cut(ask(ctx, in), "\nVariables (")
	var names []string
	for _, found := range variable.FindAllStringSubmatch(table, -1) {
		names = append(names, strings.ReplaceAll(found[1], "-", "_"))
	}
	return names
}
