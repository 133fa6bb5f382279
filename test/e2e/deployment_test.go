package e2e

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/test/nightly"
)

// shops is a study of a web stack with encryption, bare and in containers, whose
// servers a fault kills.
const shops = `study: shops
title: A web stack, bare and in a container
workload: {name: dvdstore, parameters: {size: 10MB, tier: web}}
stack:
  db: {name: ENGINE, memory: 256MiB}
  php: {name: php-fpm}
  web: {name: nginx, settings: {tls: "on"}}
storage:
  memory: {class: directory, path: memory}
matrix: {deployment: [bare, container]}
ladder: [2]
phases: {warmup: 1s, measure: 5s, ramp_rate: 0}
load: {users: 2, think_time: 20ms}
faults:
  - {at: 1s, do: kill instance 0 php}
  - {at: 2s, do: kill instance 0}
telemetry: {interval: 200ms}
`

func needsContainers(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("containers need root")
	}
}

func TestStacksInContainersAreDrivenKilledAndAudited(t *testing.T) {
	t.Parallel()
	needsContainers(t)
	needWeb(t)
	for _, engine := range []string{"postgres", "mariadb"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "mariadb" {
				nightly.Only(t, "the same with postgres, and TestServersOfAWebStackAreKilled/mariadb")
			}
			s := newSite(t)
			s.plimsoll(0, "run", s.write("shops.yaml", replace(shops, "ENGINE", engine)), "--name", "shops", "--min-grade", "F", "--error-limit", "1")
			for _, deployment := range []string{"bare", "container"} {
				trial := s.trial("shops", "memory-"+deployment+"/2/1")
				if trial.Status != result.Passed || !trial.Audit.Passed || trial.Operations["order"].Count == 0 {
					t.Fatalf("%s: %s, %+v, %+v", trial.ID, trial.Status, trial.Failure, trial.Audit)
				}
				if string(trial.Variant.Deployment) != deployment {
					t.Errorf("%s was deployed as %q", trial.ID, trial.Variant.Deployment)
				}
				if !slices.ContainsFunc(trial.Servers, func(s result.Server) bool { return s.Name == engine && len(s.Durability) >= 3 }) {
					t.Errorf("%s: of durability nothing was read: %+v", trial.ID, trial.Servers)
				}
				if noted := strings.Contains(strings.Join(trial.Notes, "\n"), "deployment container"); noted != (deployment == "container") {
					t.Errorf("%s notes %q", trial.ID, trial.Notes)
				}
			}
			out, _ := s.plimsoll(0, "report", "--format", "markdown", s.run("shops"))
			contains(t, out, "`container` has ", "× the throughput of `bare` at 2 instances")
		})
	}
}

func TestContainersAreGoneAfterAnInterruptAndAfterACrash(t *testing.T) {
	t.Parallel()
	needsContainers(t)
	for _, c := range []struct {
		name string
		end  func(b *background)
	}{
		{"interrupted", func(b *background) { b.signal(syscall.SIGINT) }},
		{"crashed", func(b *background) { _ = b.cmd.Process.Kill() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			b := s.start("run", s.write("long.yaml", long()+"deployment: container\n"), "--name", c.name, "--min-grade", "F", "--json")
			b.until("the measured phase has begun", b.measuring)
			if left := strings.Join(s.leftovers(c.name), " "); !strings.Contains(left, "containers.switch") {
				t.Errorf("while it runs there is %s", left)
			}
			c.end(b)
			b.wait()
			s.plimsoll(0, "clean")
		})
	}
}

func TestVirtualMachinesAreRefusedByName(t *testing.T) {
	s := newSite(t)
	_, errs := s.plimsoll(3, "run", s.write("vm.yaml", study("postgres")+"deployment: vm\n"), "--name", "vm")
	contains(t, errs, "deployment vm: ")
	if _, err := os.Stat(s.run("vm")); err == nil {
		t.Error("a run directory was made for a run that was refused")
	}
}
