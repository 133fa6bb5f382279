package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/app/nginx"
	"plimsoll/internal/app/phpfpm"
	"plimsoll/internal/result"
)

// shop is a stack of three roles. A server of each role is killed while users are on the web
// tier.
const shop = `study: shop
title: A shop on the web whose servers are killed
workload: {name: dvdstore, parameters: {tier: web, version: VERSION, size: 1MB}}
stack:
  db: {name: ENGINE, cpu: 1, memory: 256MiB}
  php: {name: php-fpm, cpu: 0.5, memory: 96MiB, settings: {pm.max_children: "3"}}
  web: {name: nginx, cpu: 0.25, memory: 32MiB, settings: {tls: "TLS"}}
storage:
  memory: {class: directory, path: memory}
ladder: [2]
phases: {warmup: 1s, measure: 12s, ramp_rate: 0}
load: {users: 4, think_time: 20ms}
faults:
  - {at: 3s, do: kill instance 1 db}
  - {at: 5s, do: kill instance 0 php}
  - {at: 7s, do: kill instance 0 web}
telemetry: {interval: 200ms}
objectives: ["p95 <= 10s"]
`

// needWeb skips a test where no web stack can run.
func needWeb(t *testing.T) {
	t.Helper()
	if _, err := (phpfpm.Engine{}).Find(t.Context(), "", false); err != nil {
		t.Skip(err)
	}
	if _, err := (nginx.Engine{}).Find(t.Context(), "", false); err != nil {
		t.Skip(err)
	}
}

// Users of pages see which server is gone, and come back; nothing that was
// acknowledged is lost.
func TestServersOfAWebStackAreKilled(t *testing.T) {
	t.Parallel()
	needWeb(t)
	for engine, how := range map[string][]string{"postgres": {"VERSION", "2", "TLS", "off"}, "mariadb": {"VERSION", "3", "TLS", "on"}} {
		t.Run(engine, func(t *testing.T) {
			s, run := newSite(t), "web-"+engine
			// No share of failed attempts ends the load of a database that recovers slowly.
			s.plimsoll(0, "run", s.write("shop.yaml", replace(shop, append(how, "ENGINE", engine)...)), "--name", run, "--min-grade", "F", "--error-limit", "1")
			trial := s.trial(run, "memory/2/1")
			if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 {
				t.Fatalf("%s %+v %+v", trial.Status, trial.Failure, trial.Audit)
			}
			contains(t, eventsOf(trial), "role db of instance 1 answers again", "role php of instance 0 answers again", "role web of instance 0 answers again")
			s.sawErrors(trial)
			s.cameBack(run, trial)
			s.keptRolesApart(run, trial)
		})
	}
}

// sawErrors checks that the users of each instance were told what happened to theirs:
// by the pages that their database was gone (503), by the web server that the pages
// were (502), and by the connection that the web server was.
func (s *site) sawErrors(trial *result.Trial) {
	s.t.Helper()
	without, killed := trial.Instances[1].Errors, trial.Instances[0].Errors
	if without["http 503"] == 0 || killed["http 503"] > 0 {
		s.t.Errorf("only those of instance 1 lost their database: %v, %v", without, killed)
	}
	if killed["http 502"] == 0 || killed["refused"]+killed["connection-lost"] == 0 || without["http 502"] > 0 {
		s.t.Errorf("only those of instance 0 lost their pages and their web server: %v, %v", killed, without)
	}
}

// cameBack checks that the users of every instance were at work in the last seconds.
func (s *site) cameBack(run string, trial *result.Trial) {
	s.t.Helper()
	const last = 3
	for _, series := range s.instanceSeries(run, trial) {
		if series.Metric != "units" {
			continue
		}
		done := 0.0
		for _, n := range series.Values[max(0, len(series.Values)-last):] {
			done += n
		}
		if done == 0 {
			s.t.Errorf("%s did nothing at the end: %v", series.Name, series.Values)
		}
	}
}

func (s *site) instanceSeries(run string, trial *result.Trial) []result.Series {
	s.t.Helper()
	r, err := result.Open(s.run(run))
	if err != nil {
		s.t.Fatal(err)
	}
	series, err := r.Series(trial, "instance")
	if err != nil || len(series) == 0 {
		s.t.Fatalf("no telemetry of instances: %v", err)
	}
	return series
}

// keptRolesApart looks for the log, the limits and the telemetry of each role.
func (s *site) keptRolesApart(run string, trial *result.Trial) {
	s.t.Helper()
	series := s.instanceSeries(run, trial)
	for _, server := range trial.Servers {
		if os.Geteuid() == 0 && !server.Limited {
			s.t.Errorf("role %s is not limited: %+v", server.Role, trial.Notes)
		}
		for _, name := range []string{server.Role + "-000", server.Role + "-001"} {
			if info, err := os.Stat(filepath.Join(result.TrialDir(s.run(run), trial.ID), result.LogsDir, name+".log")); err != nil || server.Name != "nginx" && info.Size() == 0 {
				s.t.Errorf("the log of %s: %v", name, err)
			}
			if !slices.ContainsFunc(series, func(x result.Series) bool { return x.Name == name && len(x.Values) > 0 }) {
				s.t.Errorf("there is no telemetry of %s", name)
			}
		}
	}
	if len(trial.Servers) != 3 {
		s.t.Errorf("servers: %+v", trial.Servers)
	}
}

// The workers of PHP-FPM and nginx no longer carry the mark of the run.
func TestKillNineWithAWebStack(t *testing.T) {
	t.Parallel()
	needWeb(t)
	s := newSite(t)
	const run = "web-nine"
	b := s.start("run", s.write("shop.yaml", replace(shop, "ENGINE", "postgres", "VERSION", "2", "TLS", "off")), "--name", run)
	b.until("the users are at work", s.driving(run))
	b.signal(syscall.SIGKILL)
	b.wait()
	left := strings.Join(s.leftovers(run), "\n")
	contains(t, left, "php-fpm: pool", "nginx: worker")
	out, _ := s.plimsoll(0, "clean", s.run(run))
	contains(t, out, "Nothing is left")
	if left := s.leftovers(run); len(left) > 0 {
		t.Errorf("clean left: %v", left)
	}
	s.plimsoll(0, "run", "--resume", s.run(run), "--min-grade", "F", "--error-limit", "1")
}

// hidden runs a program in a mount table of its own in which the machine has neither
// PHP-FPM nor nginx.
const hidden = `for f in /usr/sbin/php-fpm[0-9]* /usr/sbin/nginx; do [ ! -e "$f" ] || mount --bind /dev/null "$(readlink -f "$f")"; done; exec "$0" "$@"`

// A machine that lacks what a stack needs says so before anything starts, with the
// packages of all that is missing.
func TestMissingPartsOfAWebStackNameTheirPackages(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can hide programs from a process")
	}
	s := newSite(t)
	path := s.write("shop.yaml", replace(shop, "ENGINE", "postgres", "VERSION", "2", "TLS", "off"))
	cmd := s.command("run", path, "--name", "none")
	cmd.Path, cmd.Args = "/usr/bin/unshare", append([]string{"unshare", "--mount", "--propagation", "private", "sh", "-ec", hidden}, cmd.Args...)
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 3 {
		t.Fatalf("exit code %d, %v\n%s", cmd.ProcessState.ExitCode(), err, out)
	}
	plain := strings.Join(strings.Fields(string(out)), " ")
	contains(t, plain, "PHP-FPM is not installed (found: none)", "php-fpm php-pgsql php-mysql", "nginx is not installed (found: none)", "plimsoll doctor")
}
