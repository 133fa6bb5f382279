package phpfpm

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/host/confine"
)

// leastMemory is the least in which the first process, the opcode cache and a worker start,
// in bytes.
const leastMemory = 32 * mib

// needed is the extension that pages need for a kind of peer, with its packages.
func needed(kind string) (extension, debian, fedora string) {
	switch kind {
	case "sql:postgres":
		return "pgsql", "php-pgsql", "php-pgsql"
	case "sql:mariadb":
		return "pdo_mysql", "php-mysql", "php-mysqlnd"
	}
	return "", "", ""
}

// CheckConfig looks for the extensions that the peers need, and asks PHP about each
// setting: by name, and for settings of the pool by value, too.
func (e Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	ask := asker{in: in, pool: ofStudy(c, true)}
	found, err := app.JudgeConfig(c, "PHP-FPM", leastMemory, e.Outward(), func(name, value string) (*describe.Problem, error) {
		return ask.judge(ctx, name, value)
	})
	return append(lacking(in, c), found...), err
}

// Outward implements app.ConfigChecker: it refuses lines of our own, and settings that load
// code, run it before every page, let it leave PHP, or start programs.
func (Engine) Outward() app.OutwardSettings {
	out := app.OutwardSettings{
		Owned: []string{"extension", "zend_extension"},
		Powers: []string{
			"include", "extension_dir", "zend_extension_*", "auto_prepend_file", "auto_append_file", "allow_url_include", "opcache.preload*", "opcache.file_cache*",
			"ffi.*", "user_ini.*", "sendmail_path", "mail.*", "browscap", "unserialize_callback_func", "enable_dl", "php_*", "env", "access.*",
		},
	}
	for _, s := range slices.Concat(global(), ownPool(), ownIni()) {
		out.Owned = append(out.Owned, s.Name())
	}
	return out
}

func lacking(in app.Installation, c app.Config) (all []describe.Problem) {
	for _, p := range c.Peers {
		name, debian, fedora := needed(p.Kind)
		if _, ok := in.Modules[name]; name != "" && !ok {
			all = append(all, describe.Problem{
				Path: "name", Text: fmt.Sprintf("PHP %s has no extension %s, which pages need for %s", in.Version, name, p.Kind),
				Hint: doctor.Install(debian, fedora),
			})
		}
	}
	return all
}

// asker asks a program about settings.
type asker struct {
	in   app.Installation
	pool []app.Setting // of the study
}

func (a asker) judge(ctx context.Context, name, value string) (*describe.Problem, error) {
	switch {
	case strings.ContainsAny(value, "'"):
		return &describe.Problem{Text: "the value has a quotation mark", Hint: "leave it out"}, nil
	case slices.Contains(poolSettings, name):
		// Some need other settings of the study.
		if found, err := a.judgePool(ctx, a.pool...); err != nil || found == nil {
			return nil, err
		}
		return a.judgePool(ctx, app.Setting{name, value})
	}
	known, err := a.names(ctx)
	if err != nil || known == nil || slices.Contains(known, name) {
		return nil, err
	}
	return app.UnknownSetting("PHP", a.in.Version, name, append(known, poolSettings...)), nil
}

// complaint is the line in which PHP-FPM refuses a configuration.
var complaint = regexp.MustCompile(`(?:ERROR|ALERT): (?:\[[^\]]*\] )?(.*)`)

// judgePool has PHP-FPM read a pool with settings.
func (a asker) judgePool(ctx context.Context, some ...app.Setting) (*describe.Problem, error) {
	lines := append([]app.Setting{{"listen", "${RUNTIME}/socket"}, {"pm", "static"}, {childrenSetting, "1"}}, some...)
	out, err := a.run(ctx, "[global]\n"+text(global())+"[pages]\n"+text(lines), "-t", "-y", poolFile)
	found := complaint.FindStringSubmatch(out.Text)
	if err != nil || out.OK || found == nil { // an installation that does not run is found elsewhere
		return nil, err
	}
	return &describe.Problem{Text: found[1]}, nil
}

// settingLine is a line of PHP's own description: name => value here => value in all.
var settingLine = regexp.MustCompile(`(?m)^([a-z0-9_.]+) => .* => `)

// names lists the settings of PHP and its extensions; nil when it does not say.
func (a asker) names(ctx context.Context) (all []string, err error) {
	out, err := a.run(ctx, "", "-i")
	if !out.OK {
		return nil, err
	}
	for _, m := range settingLine.FindAllStringSubmatch(out.Text, -1) {
		all = append(all, m[1])
	}
	return all, err
}

func (a asker) run(ctx context.Context, pool string, flags ...string) (confine.Output, error) {
	return confine.Run(ctx, confine.Program{
		Path: a.in.Paths[program], Args: append([]string{"-c", iniFile}, flags...), Env: []string{"PHP_INI_SCAN_DIR="},
		Files: map[string]string{path.Base(iniFile): ini(a.in, app.Config{}), path.Base(poolFile): pool},
	})
}
