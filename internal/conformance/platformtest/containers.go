package platformtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

func (s Suite) runContainers(t *testing.T) {
	if err := s.Kind.Deploys(t.Context(), study.Container); err != nil {
		t.Run("containers are refused with a reason", func(t *testing.T) { s.containerRefused(t, err) })
		return
	}
	t.Run("servers of a container share a network and a host name", s.containerShares)
	t.Run("a container is reached by tasks of its deployment alone", s.containerReached)
	t.Run("a server that is killed comes back to its container", s.containerRestart)
	t.Run("a server that does not start leaves no container", s.containerFails)
	t.Run("a container made anew is reached at once", s.containerAnew)
	t.Run("close removes containers", s.containerCloses)
	t.Run("the memory limit of a server in a container holds", s.containerLimit)
}

// contained makes a server of a script in the container of an instance. Its first
// process has number 1, so that it has to say what a signal does.
func contained(instance, name, script string, v storage.Volume) app.Server {
	server := shell(name, `trap 'kill $child; exit 0' TERM; `+script+`; sleep 600 & child=$!; touch "${VOLUME}/ready"; wait`, v)
	server.Place = app.Place{Deployment: study.Container, Instance: instance}
	return server
}

// facts makes a server write down its environment.
const facts = `( echo host $(uname -n); echo number $$; echo at ${HOST} ${PORT}
for ns in net ipc uts pid mnt; do echo $ns $(readlink /proc/self/ns/$ns); done; echo processes $(ls /proc | grep -c '^[0-9]*$')
) > "${VOLUME}/facts"`

func factsOf(t *testing.T, v storage.Volume) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(read(t, v.Path, "facts")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = value
	}
	return all
}

func (s Suite) containerRefused(t *testing.T, reason error) {
	p, v := s.openWith(t, "refused")
	_, err := p.Start(t.Context(), contained("i", "db", "true", v), v)
	mention(t, err, reason.Error())
}

func (s Suite) containerShares(t *testing.T) {
	p := s.open(t)
	seen := map[string]map[string]string{}
	for _, name := range []string{"first-db", "first-web", "second-db"} {
		v := s.Volume(t, p, name)
		instance, _, _ := strings.Cut(name, "-")
		start(t, p, contained(instance, name, facts, v), v)
		seen[name] = factsOf(t, v)
	}
	mine := map[string]string{}
	for _, ns := range []string{"net", "ipc", "uts", "pid", "mnt"} {
		mine[ns], _ = os.Readlink("/proc/self/ns/" + ns)
	}
	db, web, second := seen["first-db"], seen["first-web"], seen["second-db"]
	for _, ns := range []string{"net", "ipc", "uts"} {
		if db[ns] != web[ns] || db[ns] == second[ns] || slices.Contains([]string{mine[ns], ""}, db[ns]) {
			t.Errorf("namespaces %s: %s and %s of one instance, %s of another, %s of this process", ns, db[ns], web[ns], second[ns], mine[ns])
		}
	}
	for _, ns := range []string{"pid", "mnt"} {
		if db[ns] == web[ns] || db[ns] == second[ns] || db[ns] == mine[ns] {
			t.Errorf("namespaces %s: %s, %s, %s, %s of this process", ns, db[ns], web[ns], second[ns], mine[ns])
		}
	}
	if db["host"] != "first" || second["host"] != "second" || db["number"] != "1" || db["at"] == second["at"] {
		t.Errorf("a server sees %v, one of another instance %v", db, second)
	}
	if n := db["processes"]; len(n) != 1 {
		t.Errorf("a server sees %s processes", n)
	}
}

func (s Suite) containerReached(t *testing.T) {
	p, v := s.openWith(t, "reached")
	proc := start(t, p, contained("i", "db", facts, v), v)
	address := proc.Endpoint().Address
	if proc.Endpoint().Network != "tcp" {
		t.Errorf("users are sent to %+v", proc.Endpoint())
	}
	for deployment, reached := range map[study.Deployment]bool{study.Container: true, study.Bare: false} {
		about := jobOf(t, "dial-"+string(deployment), "dial", work{Say: address})
		about.Deployment = deployment
		var found string
		if err := platform.Do(t.Context(), p, about, nil, &found); err != nil {
			t.Fatal(err)
		}
		// Nobody listens there, which the host itself has to say.
		if refused := strings.Contains(found, "refused"); refused != reached {
			t.Errorf("a task of deployment %s found %q at %s", deployment, found, address)
		}
	}
}

// containerAnew stops a server that tasks have reached, as audits do, and starts
// it again.
func (s Suite) containerAnew(t *testing.T) {
	p, v := s.openWith(t, "anew")
	for n := range 3 {
		proc := start(t, p, contained("i", "db", facts, v), v)
		about := jobOf(t, fmt.Sprintf("dial-%d", n), "dial", work{Say: proc.Endpoint().Address})
		about.Deployment = study.Container
		var found string
		if err := platform.Do(t.Context(), p, about, nil, &found); err != nil || !strings.Contains(found, "refused") {
			t.Errorf("start %d: a task found %q, %v", n+1, found, err)
		}
		if err := errors.Join(proc.Stop(t.Context()), os.Remove(v.Path+"/ready")); err != nil {
			t.Fatal(err)
		}
	}
}

// dial connects to an address and reports whether that worked, or the error.
func dial(ctx context.Context, c task.Call) error {
	var w work
	if err := task.Decode(c.Spec, &w); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.Say)
	if err != nil {
		return c.Out.Result(err.Error())
	}
	return errors.Join(conn.Close(), c.Out.Result("connected"))
}

func (s Suite) containerRestart(t *testing.T) {
	p, v := s.openWith(t, "again")
	first := start(t, p, contained("i", "db", facts, v), v)
	before := factsOf(t, v)
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(v.Path + "/ready"); err != nil {
		t.Fatal(err)
	}
	again := start(t, p, contained("i", "db", facts, v), v)
	if now := factsOf(t, v); now["at"] != before["at"] || now["net"] != before["net"] {
		t.Errorf("it was %v and is %v", before, now)
	}
	if err := again.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func (s Suite) containerFails(t *testing.T) {
	p, v := s.openWith(t, "fails")
	server := contained("i", "db", "echo no such table; exit 3", v)
	_, err := p.Start(t.Context(), server, v)
	mention(t, err, "no such table")
	server = contained("i", "db", "true", v)
	runs := server.Ready
	server.Ready = func(ctx context.Context, e endpoint.Endpoint) error {
		if err := runs(ctx, e); err != nil {
			return err // nor would it heed a signal yet
		}
		return fmt.Errorf("%w: no such user", app.ErrHopeless)
	}
	_, err = p.Start(t.Context(), server, v)
	mention(t, err, "no such user")
}

// containerCloses leaves servers running for the platform to end; the platform's own test
// then checks that nothing remains.
func (s Suite) containerCloses(t *testing.T) {
	p := s.open(t)
	for n := range 3 {
		v := s.Volume(t, p, fmt.Sprintf("left-%d", n))
		start(t, p, contained(fmt.Sprintf("i%d", n), fmt.Sprintf("db-%d", n), "true", v), v)
	}
}

func (s Suite) containerLimit(t *testing.T) {
	p, v := s.openWith(t, "contained-memory")
	if a := p.Abilities(); !a.MemoryLimits {
		noteExplains(t, a)
	}
	server := greedy(v)
	server.Place = app.Place{Deployment: study.Container, Instance: "i"}
	exhaust(t, p, server, v)
}
