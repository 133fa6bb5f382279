package local_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// Connections of other users of the machine to the port of a measured server are counted
// and named in the notes of the trial. Connections of the run, and connections of others to
// other ports, are not.
func TestStrangersAtAServerAreNamed(t *testing.T) {
	p := localtest.Platform(t)
	defer func() {
		if err := p.Close(context.Background()); err != nil { // the test's own context has ended
			t.Error(err)
		}
	}()
	server, err := p.Start(t.Context(), app.Server{
		Name: "measured", Command: []string{"/bin/sh", "-c", "exec sleep 600"}, Env: []string{"AT=${HOST}:${PORT}"},
		Ready: func(context.Context, endpoint.Endpoint) error { return nil }, StartTimeout: time.Minute, Stop: "KILL", StopTimeout: time.Minute,
	}, storage.Volume{})
	if err != nil {
		t.Fatal(err)
	}
	listen := func(address string) net.Listener {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	at, other := listen(server.Endpoint().Address), listen("127.0.0.1:0")
	connect := func(to net.Listener) error {
		c, err := net.Dial("tcp", to.Addr().String())
		if err == nil {
			t.Cleanup(func() { c.Close() })
		}
		return err
	}
	notes := func() string {
		o, err := p.Observe(t.Context(), platform.Observation{Start: time.Now(), Instances: func() []platform.WatchedInstance {
			return []platform.WatchedInstance{{Name: "db-000", Process: server}}
		}})
		if err != nil {
			t.Fatal(err)
		}
		seen, err := o.Stop(t.Context()) // which looks once more
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(seen.Notes, "\n")
	}
	if err := connect(at); err != nil {
		t.Fatal(err)
	}
	if err := localtest.AsOther(t, func() error { return connect(other) }); err != nil {
		t.Fatal(err)
	}
	if got := notes(); strings.Contains(got, "none of the run's") || strings.Contains(got, "not known") {
		t.Errorf("of nobody: %s", got)
	}
	uid := 0
	for range 3 {
		err := localtest.AsOther(t, func() error {
			uid = os.Geteuid()
			return connect(at)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := fmt.Sprintf("user %d of this machine, who is none of the run's, had up to 3 connections at once to db-000 at %s (\"local.test\")", uid, at.Addr())
	if got := notes(); !strings.Contains(got, want) {
		t.Errorf("%q is not in %q", want, got)
	}
}
