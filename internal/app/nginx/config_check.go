package nginx

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

// leastMemory is what the first process and a worker start in.
const leastMemory = 16 * mib

// CheckConfig has nginx read a configuration with each setting (nginx -t).
func (Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	return app.InScratch("nginx", func(dir string) ([]app.ConfigProblem, error) {
		return app.JudgeConfig(c, "nginx", leastMemory, func(name, value string) *app.ConfigProblem {
			return judge(ctx, in, dir, name, value)
		}), ctx.Err()
	})
}

// reserved cannot be in a value: it ends a directive, or gives it another meaning.
const reserved = ";{}\"'\\#$"

func judge(ctx context.Context, in app.Installation, dir, name, value string) *app.ConfigProblem {
	_, encrypted := in.Modules["ssl"]
	switch {
	case name == tlsSetting && value != "on" && value != "off":
		return &app.ConfigProblem{Reason: fmt.Sprintf("%q is neither on nor off", value)}
	case name == tlsSetting && value == "on" && !encrypted:
		return &app.ConfigProblem{Reason: "this nginx was built without " + modules["ssl"], Hint: install()}
	case name == tlsSetting:
		return nil
	case slices.ContainsFunc(append(ownMain(), ownHTTP()...), func(d directive) bool { return d.name == name }):
		return app.OwnedSetting(name)
	case strings.ContainsAny(value, reserved):
		return &app.ConfigProblem{Reason: "the value has one of the characters " + reserved, Hint: "leave them out"}
	}
	return try(ctx, in, dir, name, value)
}

// refusal is the line in which nginx refuses a configuration.
var refusal = regexp.MustCompile(`\[emerg\] (?:\d+#\d+: )?(.*?)(?: in \S+:\d+)?\n`)

// try has nginx read a configuration with the setting.
func try(ctx context.Context, in app.Installation, dir, name, value string) *app.ConfigProblem {
	text := configuration(app.Config{Settings: map[string]string{name: value}})
	text = strings.NewReplacer("${HOST}:${PORT}", "unix:"+filepath.Join(dir, "socket"), "${HOST}", "127.0.0.1", "${RUNTIME}", dir).Replace(text)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil // without space nothing is judged, and nothing starts
	}
	out, err := exec.CommandContext(ctx, in.Paths[program], append([]string{"-t", "-c", file, "-p", dir}, logFlags(in)...)...).CombinedOutput()
	found := refusal.FindStringSubmatch(string(out))
	switch {
	case err == nil || found == nil: // an installation that does not run is found elsewhere
		return nil
	case strings.HasPrefix(found[1], "unknown directive"):
		return app.UnknownSetting("nginx", in.Version, name, nil)
	}
	return &app.ConfigProblem{Reason: found[1]}
}
