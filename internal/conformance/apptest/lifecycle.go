package apptest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
)

// awkward has the characters that configuration files give a meaning to; some to a
// pattern or a shell.
const awkward = `o'hara "a\b" #1 [x] $HOME ${PORT} %d; ä & b`

func (b Bench) restart(t *testing.T) {
	p, c := b.Configured(t, "restart")
	name := awkward
	if b.Plain {
		name = c.Name
	}
	v := b.initialisedAt(t, p, c, name)
	first := b.Start(t, p, c, v)
	b.put(t, c, first, 3, "kept")
	if err := first.Stop(t.Context()); err != nil {
		t.Fatalf("stop: %v", err)
	}
	if err := first.Err(); err != nil {
		t.Errorf("after Stop, Err is %v", err)
	}
	b.expect(t, c, b.Start(t, p, c, v), 3, "kept")
}

func (b Bench) comesBack(t *testing.T) {
	p, c := b.Configured(t, "again")
	v := b.Initialised(t, p, c)
	first := b.Start(t, p, c, v)
	at := first.Endpoint()
	b.put(t, c, first, 20, "kept")
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.Done()
	if first.Err() == nil {
		t.Error("after Kill, Err is nil")
	}
	if err := b.ask(t, c, at); err == nil {
		t.Error("it answers although it was killed")
	}
	second := b.Start(t, p, c, v)
	if now := second.Endpoint(); isHere(second) && now != at { // elsewhere the way to it may be new
		t.Errorf("it came back as %+v, and was %+v", now, at)
	}
	b.expect(t, c, second, 20, "kept")
	if err := second.Stop(t.Context()); err != nil || second.Err() != nil {
		t.Errorf("stop: %v, %v", err, second.Err())
	}
}

// interrupted gives up a server that starts and is not ready yet. Nothing of it may be in
// the way of the next one, which has its name and its volume.
func (b Bench) interrupted(t *testing.T) {
	p, c := b.Configured(t, "interrupted")
	v := b.Initialised(t, p, c)
	ctx, interrupt := context.WithCancel(t.Context())
	server := b.Engine.Server(b.In, c)
	server.Ready = func(context.Context, endpoint.Endpoint) error {
		interrupt()
		return errors.New("not ready yet")
	}
	if _, err := p.Start(ctx, server, v); !errors.Is(err, context.Canceled) {
		t.Errorf("the start was interrupted: %v", err)
	}
	next := b.Start(t, p, c, v)
	b.put(t, c, next, 1, "kept")
	b.expect(t, c, next, 1, "kept")
}

// endsAltogether kills the first process alone, as the kernel may.
func (b Bench) endsAltogether(t *testing.T) {
	p, c := b.Configured(t, "orphans")
	proc := b.Start(t, p, c, b.Initialised(t, p, c))
	here, ok := proc.(onThisMachine)
	if !ok {
		t.Skip(elsewhere)
	}
	pids := here.PIDs()
	if b.Alone != (len(pids) == 1) {
		t.Fatalf("its processes are %v", pids)
	}
	if err := unix.Kill(firstOf(t, pids), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
}

// portTaken listens on the port that the server is given first: not the platform
// finds that out, but the server, in words that the platform knows.
func (b Bench) portTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p, c := b.Configured(t, "port")
	server := b.Engine.Server(b.In, c)
	if !server.Mentions("${PORT}") || b.Plain {
		t.Skip("it listens on no port of the machine")
	}
	mark := filepath.Join(writable(t, p, c.Name), "tried")
	if b.Engine.Capabilities().Builtin { // which the shell is not
		server.Command[0] = localtest.CopyProgram(t)
	}
	port := taken.Addr().(*net.TCPAddr).Port
	exchange := fmt.Sprintf(`for word; do shift; set -- "$@" "$(printf %%s "$word" | sed "s/\b${PORT}\b/%d/")"; done`, port)
	if len(server.Files) > 0 {
		exchange = fmt.Sprintf(`sed -i "s/\b${PORT}\b/%d/" "%s"`, port, server.Files[0].Path)
	}
	server.Command = append([]string{"/bin/sh", "-c", fmt.Sprintf(`
		if [ ! -e %[1]s ]; then
			touch %[1]s
			%[2]s
		fi
		exec "$0" "$@"`, mark, exchange)}, server.Command...)
	proc, err := p.Start(t.Context(), server, b.Initialised(t, p, c))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
	if err := b.ask(t, c, proc.Endpoint()); err != nil {
		t.Error(err)
	}
}

// writable is a directory in which a server of the platform may write.
func writable(t *testing.T, p platform.Platform, server string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "plimsoll-mark-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	uid, gid := p.User(server)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return dir
}

// broken has a setting that only the server itself can judge.
func (b Bench) broken(t *testing.T) {
	p, c := b.Configured(t, "broken")
	server := b.Engine.Server(b.In, c)
	if len(server.Files) > 0 {
		server.Files[0].Content += "\nthis is { no configuration\n"
	} else {
		server.Command = slices.Insert(server.Command, 1, "--this-is-no-configuration")
	}
	_, err := p.Start(t.Context(), server, b.Initialised(t, p, c))
	if err == nil || !strings.Contains(err.Error(), "its log broken.log says:") {
		t.Errorf("the error does not help: %v", err)
	}
	t.Logf("error: %v", err)
}

func (b Bench) least(t *testing.T) {
	p, c := b.Configured(t, "least")
	checker := b.Engine.Capabilities().Config
	if checker == nil {
		t.Skip("the engine cannot judge a configuration")
	}
	c.Limits.Memory = b.Least
	if found, err := checker.CheckConfig(t.Context(), b.In, c); err != nil || len(found) > 0 {
		t.Fatalf("refused: %v, %v", found, err)
	}
	b.Start(t, p, c, b.Initialised(t, p, c))
	c.Limits.Memory--
	if found, err := checker.CheckConfig(t.Context(), b.In, c); err != nil || len(found) != 1 {
		t.Errorf("one byte less is accepted: %v, %v", found, err)
	}
}
