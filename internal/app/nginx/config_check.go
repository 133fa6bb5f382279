package nginx

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/host/confine"
)

// leastMemory is the least in which the first process and a worker start, in bytes.
const leastMemory = 16 * mib

// CheckConfig has nginx read a configuration with each setting (nginx -t).
func (e Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return app.JudgeConfig(c, "nginx", leastMemory, e.Outward(), func(name, value string) (*describe.Problem, error) {
		return judge(ctx, in, name, value)
	})
}

// Outward implements app.ConfigChecker: it refuses lines of our own, files included in the
// configuration, code in it, and programs that supply keys.
func (Engine) Outward() app.OutwardSettings {
	out := app.OutwardSettings{Powers: []string{
		"include", "load_module", "user", "env", "working_directory", "ssl_engine", "ssl_object_cache_inheritable", "google_perftools_profiles",
		"perl*", "js_*", "lua_*", "init_by_lua*", "init_worker_by_lua*", "ssl_certificate_by_lua*", "set_by_lua*", "rewrite_by_lua*",
		"access_by_lua*", "content_by_lua*", "header_filter_by_lua*", "body_filter_by_lua*", "log_by_lua*", "passenger_*",
	}}
	for _, d := range append(ownMain(), ownHTTP()...) {
		out.Owned = append(out.Owned, d.Name())
	}
	return out
}

// reserved cannot be in a value: it ends a directive, or gives it another meaning.
const reserved = ";{}\"'\\#$"

func judge(ctx context.Context, in app.Installation, name, value string) (*describe.Problem, error) {
	_, encrypted := in.Modules["ssl"]
	switch {
	case name == tlsSetting && value != "on" && value != "off":
		return &describe.Problem{Text: fmt.Sprintf("%q is neither on nor off", value)}, nil
	case name == tlsSetting && value == "on" && !encrypted:
		return &describe.Problem{Text: "this nginx was built without " + modules["ssl"], Hint: packages().Install()}, nil
	case name == tlsSetting:
		return nil, nil
	case strings.ContainsAny(value, reserved):
		return &describe.Problem{Text: "the value has one of the characters " + reserved, Hint: "leave them out"}, nil
	}
	return try(ctx, in, name, value)
}

// refusal is the line in which nginx refuses a configuration.
var refusal = regexp.MustCompile(`\[emerg\] (?:\d+#\d+: )?(.*?)(?: in \S+:\d+)?\n`)

// try has nginx read a configuration with the setting.
func try(ctx context.Context, in app.Installation, name, value string) (*describe.Problem, error) {
	text := configuration(app.Config{Settings: map[string]string{name: value}})
	text = strings.NewReplacer("${LISTEN}", "unix:${RUNTIME}/socket", "${HOST}", "127.0.0.1").Replace(text)
	out, err := confine.Run(ctx, confine.Program{
		Path: in.Paths[program], Args: append([]string{"-t", "-c", configFile, "-p", "${RUNTIME}"}, logFlags(in)...),
		Files: map[string]string{path.Base(configFile): text},
	})
	found := refusal.FindStringSubmatch(out.Text)
	switch {
	case err != nil || out.OK || found == nil: // an installation that does not run is found elsewhere
		return nil, err
	case strings.HasPrefix(found[1], "unknown directive"):
		return app.UnknownSetting("nginx", in.Version, name, nil), nil
	}
	return &describe.Problem{Text: found[1]}, nil
}
