package phpfpm

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
	"plimsoll/internal/doctor"
)

// leastMemory is what the first process, the opcode cache and a worker start in.
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
// setting: by name, and those of the pool by value, too.
func (Engine) CheckConfig(ctx context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	found, err := checkSettings(ctx, in, c)
	return append(lacking(in, c), found...), err
}

func lacking(in app.Installation, c app.Config) (all []app.ConfigProblem) {
	for _, p := range c.Peers {
		name, debian, fedora := needed(p.Kind)
		if _, ok := in.Modules[name]; name != "" && !ok {
			all = append(all, app.ConfigProblem{
				Field: "name", Reason: fmt.Sprintf("PHP %s has no extension %s, which pages need for %s", in.Version, name, p.Kind),
				Hint: doctor.Install(debian, fedora),
			})
		}
	}
	return all
}

func checkSettings(ctx context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	return app.InScratch("PHP-FPM", func(dir string) ([]app.ConfigProblem, error) {
		file := filepath.Join(dir, "php.ini")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(ini(in, app.Config{}), "${RUNTIME}", dir)), 0o600); err != nil {
			return nil, err
		}
		ask := asker{in: in, ini: file, dir: dir, pool: ofStudy(c, true)}
		return app.JudgeConfig(c, "PHP-FPM", leastMemory, func(name, value string) *app.ConfigProblem {
			return ask.judge(ctx, name, value)
		}), ctx.Err()
	})
}

// asker asks a program about settings.
type asker struct {
	in       app.Installation
	ini, dir string
	pool     []setting // of the study
}

func (a asker) judge(ctx context.Context, name, value string) *app.ConfigProblem {
	owned := slices.Concat(global(), ownPool(), ownIni(), []setting{{name: "extension"}, {name: "zend_extension"}})
	switch {
	case slices.ContainsFunc(owned, func(s setting) bool { return s.name == name }):
		return app.OwnedSetting(name)
	case strings.ContainsAny(value, "'"):
		return &app.ConfigProblem{Reason: "the value has a quotation mark", Hint: "leave it out"}
	case slices.Contains(poolSettings, name):
		// Some need others of the study beside them.
		if a.judgePool(ctx, a.pool...) == nil {
			return nil
		}
		return a.judgePool(ctx, setting{name, value})
	}
	known := a.names(ctx)
	if known == nil || slices.Contains(known, name) {
		return nil
	}
	return app.UnknownSetting("PHP", a.in.Version, name, append(known, poolSettings...))
}

// complaint is the line in which PHP-FPM refuses a configuration.
var complaint = regexp.MustCompile(`(?:ERROR|ALERT): (?:\[[^\]]*\] )?(.*)`)

// judgePool has PHP-FPM read a pool with settings. It refuses to be root, unless told
// otherwise, even where it only reads.
func (a asker) judgePool(ctx context.Context, some ...setting) *app.ConfigProblem {
	file := filepath.Join(a.dir, "php-fpm.conf")
	lines := append([]setting{{"listen", filepath.Join(a.dir, "socket")}, {"pm", "static"}, {childrenSetting, "1"}}, some...)
	if err := os.WriteFile(file, []byte("[global]\n"+text(global())+"[pages]\n"+text(lines)), 0o600); err != nil {
		return nil // without space nothing is judged, and nothing starts
	}
	out, err := a.run(ctx, "--allow-to-run-as-root", "-t", "-y", file)
	found := complaint.FindStringSubmatch(out)
	if err == nil || found == nil { // an installation that does not run is found elsewhere
		return nil
	}
	return &app.ConfigProblem{Reason: found[1]}
}

// known is a line of PHP's own description: name => value here => value in all.
var known = regexp.MustCompile(`(?m)^([a-z0-9_.]+) => .* => `)

// names lists the settings of PHP and its extensions; nil when it does not say.
func (a asker) names(ctx context.Context) (all []string) {
	out, err := a.run(ctx, "-i")
	if err != nil {
		return nil
	}
	for _, m := range known.FindAllStringSubmatch(out, -1) {
		all = append(all, m[1])
	}
	return all
}

func (a asker) run(ctx context.Context, flags ...string) (string, error) {
	cmd := exec.CommandContext(ctx, a.in.Paths[program], append([]string{"-c", a.ini}, flags...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "PHP_INI_SCAN_DIR=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
