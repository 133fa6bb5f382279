package phpfpm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// mostWorkers bounds the workers that nobody asked for.
const mostWorkers = 32

// childrenSetting is how many workers there are.
const childrenSetting = "pm.max_children"

// workers is one for each user, up to a bound, unless the study says otherwise.
func workers(c app.Config) int {
	if n, err := strconv.Atoi(c.Settings[childrenSetting]); err == nil && n > 0 {
		return n
	}
	return max(1, min(c.Users, mostWorkers))
}

// outputSetting decides whether errors of pages go to the log. They pass through the first
// process, which costs CPU (docs/driver-measurements.md).
const outputSetting = "catch_workers_output"

// poolSettings are the settings of a study that concern the pool of workers. All others are
// PHP's.
var poolSettings = []string{
	outputSetting, childrenSetting, "listen.backlog", "pm", "pm.max_requests", "pm.max_spare_servers", "pm.max_spawn_rate", "pm.min_spare_servers",
	"pm.process_idle_timeout", "pm.start_servers", "request_terminate_timeout", "rlimit_core", "rlimit_files",
}

// global is the part of the configuration that concerns all pools. Of a terminal or
// not, its log goes to the standard error output, and to no file.
func global() []app.Setting { return []app.Setting{{"error_log", "/dev/null"}, {"daemonize", "no"}} }

// ownPool are the lines of the pool without which the server could not be found or watched,
// or its log would be lost. Its status has a socket of its own, which answers even when all
// workers are busy.
func ownPool() []app.Setting {
	return []app.Setting{
		{"listen", "${LISTEN}"},
		{"ping.path", pingPath},
		{"ping.response", pong},
		{"pm.status_path", statusPath},
		{"pm.status_listen", statusFile},
		{"decorate_workers_output", "no"},
		{"clear_env", "yes"},
	}
}

// pool is php-fpm.conf: a constant number of workers, with no limit on their requests. The
// queue takes as many as the kernel allows. The settings of the study come last, since the
// last one counts.
func pool(c app.Config) string {
	lines := append(ownPool(),
		app.Setting{"listen.backlog", "65535"},
		app.Setting{"pm", "static"},
		app.Setting{childrenSetting, fmt.Sprint(workers(c))},
		app.Setting{outputSetting, "yes"},
	)
	return "[global]\n" + text(global()) + "[pages]\n" + text(append(lines, ofStudy(c, true)...))
}

// extensions are loaded in this order, where they are not built in: the opcode
// cache, and what talks to databases.
var extensions = []string{"opcache", "pgsql", "mysqlnd", "pdo", "pdo_mysql"}

// directive loads an extension.
func directive(extension string) string {
	if extension == "opcache" {
		return "zend_extension"
	}
	return "extension"
}

// ownIni are lines of php.ini on which finding the pages and their log depends, and
// that nothing is written elsewhere.
func ownIni() []app.Setting {
	return []app.Setting{
		{"include_path", "${RUNTIME}"},
		{"doc_root", site},
		{"sys_temp_dir", "${RUNTIME}"},
		{"upload_tmp_dir", "${RUNTIME}"},
		{"opcache.lockfile_path", "${RUNTIME}"},
		{"log_errors", "1"},
		{"fastcgi.logging", "0"}, // but to the standard error output
		{"cgi.fix_pathinfo", "0"},
	}
}

// ini is php.ini. Pages never change while a server runs, so that the cache need not
// look; a trace of an error would show passwords if it had arguments.
func ini(in app.Installation, c app.Config) string {
	var lines []app.Setting
	for _, name := range extensions {
		if load := in.Modules[name]; load != "" {
			lines = append(lines, app.Setting{load, name})
		}
	}
	lines = append(append(lines, ownIni()...),
		app.Setting{"opcache.enable", "1"},
		app.Setting{"opcache.validate_timestamps", "0"},
		app.Setting{"opcache.file_update_protection", "0"}, // although they were just written
		app.Setting{"opcache.memory_consumption", "16"},
		app.Setting{"display_errors", "0"},
		app.Setting{"expose_php", "0"},
		app.Setting{"zend.exception_ignore_args", "1"},
		app.Setting{"zend.assertions", "-1"},
		app.Setting{"memory_limit", "64M"},
		app.Setting{"date.timezone", "UTC"},
		app.Setting{"mysqlnd.collect_statistics", "0"},
	)
	return text(append(lines, ofStudy(c, false)...))
}

// ofStudy are the study's settings of the pool or of PHP.
func ofStudy(c app.Config, ofPool bool) []app.Setting {
	return slices.DeleteFunc(app.StudySettings(c.Settings), func(s app.Setting) bool {
		return slices.Contains(poolSettings, s.Name()) != ofPool
	})
}

// text writes lines of a file of PHP's form, in which nothing within single quotes
// has a meaning; a value with such a quote is refused by CheckConfig.
func text(lines []app.Setting) string {
	var b strings.Builder
	for _, s := range lines {
		fmt.Fprintf(&b, "%s = '%s'\n", s.Name(), strings.ReplaceAll(s.Value(), "'", ""))
	}
	return b.String()
}

// peers is a page that gives the way to each server that the pages use, by role, and the
// directory for files on each volume, by the name of its mount: $peers = require 'peers.php'.
func peers(c app.Config) string {
	var b strings.Builder
	b.WriteString("<?php return [\n")
	seen := map[string]bool{}
	for _, p := range c.Peers {
		if seen[p.Role] {
			continue
		}
		seen[p.Role] = true
		fmt.Fprintf(&b, "%s => %s,\n", quote(p.Role), peer(p))
	}
	for n, m := range c.Mounts {
		fmt.Fprintf(&b, "%s => ['kind' => 'directory', 'path' => '%s'],\n", quote(m.Role), kept(n, m))
	}
	b.WriteString("];\n")
	return b.String()
}

func peer(p endpoint.Endpoint) string {
	var fields []string
	for _, f := range []app.Setting{
		{"kind", p.Kind}, {"network", p.Network}, {"address", p.Address}, {"database", endpoint.Database(p)}, {"user", p.User}, {"password", p.Password}, {"session", sqlconn.Session(p)},
	} {
		fields = append(fields, quote(f.Name())+" => "+quote(f.Value()))
	}
	return "[" + strings.Join(fields, ", ") + "]"
}

// quote writes a text of PHP's. What looks like a variable of the platform's is
// taken apart.
func quote(text string) string {
	return "'" + strings.ReplaceAll(escape(text), "${", "$'.'{") + "'"
}

// escape writes a text as it must be between single quotes.
func escape(text string) string { return strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) }
