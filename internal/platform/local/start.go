package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/namespace"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/logfile"
	"plimsoll/internal/storage"
)

// Run runs a one-shot server to its end. Cancelling ctx kills it.
func (l *Local) Run(ctx context.Context, s app.Server, v storage.Volume, others ...platform.Mounted) error {
	if s.StartTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.StartTimeout)
		defer cancel()
	}
	p, err := l.launch(s, v, others, true)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.give(fmt.Errorf("%s was ended: %w", s.Name, ctx.Err()))
		if err := p.Kill(); err != nil {
			return err
		}
		<-p.done
	}
	return errors.Join(p.Err(), p.leave())
}

// portAttempts bounds how often a start is tried because another program took
// the port between the look and the server's own try.
const portAttempts = 5

// Start starts a server and waits until it is ready.
func (l *Local) Start(ctx context.Context, s app.Server, v storage.Volume, others ...platform.Mounted) (platform.Process, error) {
	for attempt := 1; ; attempt++ {
		p, err := l.launch(s, v, others, false)
		if err != nil {
			return nil, err
		}
		err = p.awaitReady(ctx)
		if err == nil {
			return p, nil
		}
		if endErr := p.abandon(ctx); endErr != nil {
			return nil, errors.Join(err, endErr)
		}
		if attempt >= portAttempts || !p.portWasTaken() {
			return nil, err
		}
		l.forgetPort(s.Name)
		l.env.Log.Info("another program took the port; trying the next", "server", s.Name, "port", p.place.Port)
	}
}

// launch starts the server's process, with all that it needs around it.
func (l *Local) launch(s app.Server, v storage.Volume, others []platform.Mounted, oneShot bool) (*process, error) {
	p := &process{local: l, server: s, name: s.Name, volume: v, who: l.owner(s, v), mounts: platform.MountedAt(others), oneShot: oneShot, done: make(chan struct{})}
	if err := check(s, v); err != nil {
		return nil, err
	}
	for _, m := range append([]platform.Mounted{{Volume: v}}, others...) {
		if err := p.who.accessible(m.Volume, s.Command[0]); err != nil {
			return nil, fmt.Errorf("start %s: %w", s.Name, err)
		}
	}
	serial, err := l.enlist(p)
	if err != nil {
		return nil, err
	}
	err = p.prepare(serial)
	if err == nil {
		err = p.exec()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", s.Name, err), p.cleanUp(), p.leave())
	}
	go p.watch()
	return p, nil
}

// check refuses what would go wrong in a confusing way later.
func check(s app.Server, v storage.Volume) error {
	if err := checkName(s.Name); err != nil {
		return err
	}
	if len(s.Command) == 0 {
		return fmt.Errorf("%s has no command", s.Name)
	}
	if v.Path == "" && s.Mentions("${VOLUME}") {
		return fmt.Errorf("%s needs a volume and gets none", s.Name)
	}
	return nil
}

func checkName(name string) error {
	if name == "" || name[0] == '.' || strings.ContainsAny(name, "/ \n") {
		return fmt.Errorf("%q is not a valid name of a server or task: it becomes part of file names", name)
	}
	return nil
}

// prepare makes the place, the files and the control group.
func (p *process) prepare(serial int) error {
	l := p.local
	p.place = app.Surroundings{Volume: p.volume.Path, Mounts: p.mounts, Runtime: filepath.Join(l.runtime, strconv.Itoa(serial)), Host: host, Users: users}
	if err := p.enterPlace(); err != nil {
		return err
	}
	if p.server.NeedsPort(p.in == nil) {
		port, err := l.port(p.name)
		if err != nil {
			return err
		}
		p.place.Port = port
	}
	p.place.Listen = p.listen()
	if socket := p.socket(); len(socket) > socketPathLimit {
		return fmt.Errorf("the path of its socket, %s, has %d bytes; the limit is %d: use a shorter run identifier", socket, len(socket), socketPathLimit)
	}
	if err := l.furnish(p.server, p.place, p.who); err != nil {
		return err
	}
	if err := p.makeGroup(); err != nil {
		return err
	}
	return p.openRelay()
}

// makeGroup makes the server's control group, below the group of its container or of its
// volume's node.
func (p *process) makeGroup() (err error) {
	limits := cgroup.Limits{CPU: p.server.Limits.CPU, Memory: p.server.Limits.Memory}
	above := p.volume.Cgroups
	if p.in != nil {
		above = p.in.group.Directories()
	}
	if len(above) > 0 {
		p.group, err = p.local.groups.Below(above, p.name, limits)
	} else {
		p.group, err = p.local.groups.Group(p.name, limits)
	}
	return err
}

// listen is the one way in of a server that has no other: its socket, but for a
// container, whose users are on other hosts.
func (p *process) listen() string {
	if socket := p.socket(); socket != "" && p.in == nil {
		return p.server.SocketPrefix + socket
	}
	return net.JoinHostPort(p.place.Host, strconv.Itoa(p.place.Port))
}

// socket is the path of its socket, if it makes one.
func (p *process) socket() string {
	if p.server.Socket == "" || p.in != nil && p.server.ListensAlone() {
		return ""
	}
	return filepath.Join(p.place.Runtime, p.place.Expand(p.server.Socket))
}

// exec starts the program: in its own session, so that no signal to Plimsoll's
// terminal reaches it, and with an environment that says whose it is.
func (p *process) exec() error {
	l := p.local
	if err := l.env.Journal.Making(p.object()); err != nil {
		return err
	}
	log, file, err := logfile.Open(filepath.Join(l.logs, p.name+".log"))
	if err != nil {
		return err
	}
	defer file.Close() // the process has its own
	log.Complaints = p.server.Complaints
	p.log = log
	if p.cmd, err = p.command(file); err != nil {
		return err
	}
	p.started = time.Now()
	if err := p.start(); err != nil {
		return err
	}
	p.memory.Note(p.cmd.Process.Pid)
	made := p.object()
	made.PID = p.cmd.Process.Pid
	made.StartTime = journal.StartTime(made.PID)
	if err := l.env.Journal.Made(made); err != nil {
		l.env.Log.Warn("the journal could not be written", "error", err)
	}
	return nil
}

// start starts the command in its namespaces; a program that asks for its user's
// name gets an answer, although the user has no account.
func (p *process) start() error {
	var changes []func() error
	if p.in != nil {
		changes = append(changes, p.in.enter)
	}
	named := p.server.Named && p.local.users.dynamic()
	if named || p.in != nil {
		changes = append(changes, p.ownMounts)
	}
	if named {
		show, err := p.who.showName(filepath.Join(p.place.Runtime, "passwd"))
		if err != nil {
			return err
		}
		changes = append(changes, show)
	}
	if p.in != nil {
		changes = append(changes, func() error {
			return ownTemporary(p.place.Runtime, p.volume.Path, installed(p.server.Command[0]))
		})
	}
	return p.group.StartAfter(p.cmd, func() error {
		for _, change := range changes {
			if err := change(); err != nil {
				return err
			}
		}
		return nil
	})
}

// ownMounts gives the thread a mount table without what others use.
func (p *process) ownMounts() error {
	if err := namespace.OwnMounts(); err != nil {
		return err
	}
	journal.LetGo(p.home())
	return nil
}

func (p *process) command(log *os.File) (*exec.Cmd, error) {
	argv := p.place.ExpandAll(p.server.Command)
	if p.in != nil {
		argv = contained(argv, p.who)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = p.place.Runtime
	cmd.Env = append([]string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=" + p.place.Runtime, "LC_ALL=C", "TZ=UTC",
		journal.MarkerVariable + "=" + p.local.env.RunID + "/" + p.name,
	}, slices.Concat(p.place.ExpandAll(p.server.Env), p.server.Secrets)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	switch {
	case p.in != nil:
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID // and the others by its thread
	case p.local.ipc:
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWIPC
	}
	if !p.who.change || p.in != nil {
		return cmd, nil
	}
	doors, err := p.local.doors(p.server.Peers)
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(p.who.uid), Gid: uint32(p.who.gid), Groups: doors}
	return cmd, err
}

func (p *process) object() journal.Object {
	return journal.Object{Kind: journal.Process, Name: p.name, Path: p.home()}
}

// home is where its processes work: on its volume, or without one in its private
// directory.
func (p *process) home() string {
	if p.volume.Path == "" {
		return p.place.Runtime
	}
	return p.volume.Path
}

// endpoint prefers the unix socket, but for a container, whose users are on other
// hosts: it costs less and no other program can be listening on it.
func (p *process) endpoint() endpoint.Endpoint {
	t := endpoint.Endpoint{
		Kind: p.server.Kind, Network: "tcp",
		Address: net.JoinHostPort(p.place.Host, strconv.Itoa(p.place.Port)),
		User:    p.server.User, Password: p.server.Password,
		Payload: p.server.Payload.Replace(p.place.Expand), Certificate: p.server.Certificate,
	}
	if socket := p.socket(); socket != "" && p.in == nil {
		t.Network, t.Address = "unix", socket
	}
	return t
}

// asked is how this process reaches it, which is on no network of a container.
func (p *process) Asked() endpoint.Endpoint {
	t := p.endpoint()
	switch {
	case p.in == nil:
	case p.relay != nil:
		t.Network, t.Address = "unix", p.relay.Address()
	default:
		t.Network, t.Address = "unix", p.socket()
	}
	return t
}

// portWasTaken tells from the log whether the server failed over its port.
func (p *process) portWasTaken() bool {
	said := strings.ToLower(p.log.Reasons() + "\n" + p.log.Tail())
	return p.place.Port != 0 && strings.Contains(said, "address already in use")
}
