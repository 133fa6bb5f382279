package main

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// allowed is which processors a process that is started now may use.
func allowed(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("grep", "Cpus_allowed_list", "/proc/self/status").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "Cpus_allowed_list:"))
}

func TestServersAndGeneratorsHaveProcessorsOfTheirOwn(t *testing.T) {
	p, err := divided()
	if err != nil {
		t.Fatal(err)
	}
	if p.all.Count() < 2 {
		t.Skip("there is one processor only")
	}
	if p.servers.Count()+p.generators.Count() != p.all.Count() {
		t.Errorf("%d for servers and %d for generators of %d", p.servers.Count(), p.generators.Count(), p.all.Count())
	}
	var both unix.CPUSet
	for cpu := range both {
		both[cpu] = p.servers[cpu] & p.generators[cpu]
	}
	if n := both.Count(); n != 0 {
		t.Errorf("both have %d of them", n)
	}
	all, server := allowed(t), ""
	if err := p.serve(func() error { server = allowed(t); return nil }); err != nil {
		t.Fatal(err)
	}
	generator := allowed(t)
	if err := p.join(); err != nil {
		t.Fatal(err)
	}
	if after := allowed(t); after != all || server == generator || server == all || generator == all {
		t.Errorf("server %s, generator %s, before %s, afterwards %s", server, generator, all, after)
	}
}
