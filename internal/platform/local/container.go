package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/simnet"
	"plimsoll/internal/host/thread"
)

// containers are the instances that are deployed as such. Their networks are joined
// by a switch, which another host is on, where users are.
type containers struct {
	local *Local

	mu      sync.Mutex
	network *simnet.Network // nil before the first
	users   simnet.Host
	serial  int
	all     map[string]*container // by instance
}

// container is the environment that the servers of an instance share, like a pod's: a
// network, System V shared memory, the host name and a control group. Each server has its
// own processes, mounts and temporary files.
type container struct {
	name     string
	host     simnet.Host
	network  netns.NsHandle
	ipc, uts *os.File
	group    *cgroup.Group
	servers  map[string]bool // that were started in it and not stopped
}

// usersHost is the name of the host that users are on.
const usersHost = "users"

// open makes the switch and the users' host. The caller holds mu.
func (c *containers) open() error {
	if c.network != nil {
		return nil
	}
	network := simnet.New(journal.Name(c.local.env.RunID, "containers"), c.local.env.Journal)
	if err := network.Up(context.Background(), []string{usersHost}); err != nil {
		return errors.Join(fmt.Errorf("make the network of the containers: %w", err), network.Down())
	}
	c.network, c.users = network, network.Hosts()[0]
	return nil
}

// join gives the container of an instance to one of its servers, which keeps its
// place in it until it leaves: one that was killed and is started again is found
// where it was.
func (c *containers) join(instance, server string, above map[string]string) (*container, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.all[instance]
	if have == nil {
		made, err := c.make(instance, above)
		if err != nil {
			return nil, fmt.Errorf("make the container of %s: %w", instance, err)
		}
		c.all[instance], have = made, made
	}
	have.servers[server] = true
	return have, nil
}

func (c *containers) make(instance string, above map[string]string) (*container, error) {
	if err := c.open(); err != nil {
		return nil, err
	}
	c.serial++
	host, err := c.network.Add(strconv.Itoa(c.serial))
	if err != nil {
		return nil, err
	}
	made := &container{name: instance, host: host, network: netns.None(), servers: map[string]bool{}}
	if made.network, err = netns.GetFromName(host.Netns); err == nil {
		err = made.unshare()
	}
	if err == nil {
		made.group, err = c.local.groups.Parent(above, instance)
	}
	if err != nil {
		return nil, errors.Join(err, c.remove(context.Background(), made))
	}
	return made, nil
}

// unshare makes the namespaces that have no name: they are there as long as this
// process, or one of a server, has them.
func (c *container) unshare() error {
	return thread.Spare(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWIPC | unix.CLONE_NEWUTS); err != nil {
			return fmt.Errorf("make its namespaces: %w", err)
		}
		const longest = 63 // of a label of a host name (RFC 1123)
		if err := unix.Sethostname([]byte(c.name[:min(len(c.name), longest)])); err != nil {
			return fmt.Errorf("give it a host name: %w", err)
		}
		if c.ipc, err = os.Open("/proc/thread-self/ns/ipc"); err != nil {
			return err
		}
		c.uts, err = os.Open("/proc/thread-self/ns/uts")
		return err
	})
}

// enter moves a thread into the container.
func (c *container) enter() error {
	if err := netns.Set(c.network); err != nil {
		return fmt.Errorf("enter the network of %s: %w", c.name, err)
	}
	for _, ns := range []struct {
		file *os.File
		kind int
	}{{c.ipc, unix.CLONE_NEWIPC}, {c.uts, unix.CLONE_NEWUTS}} {
		if err := unix.Setns(int(ns.file.Fd()), ns.kind); err != nil {
			return fmt.Errorf("enter the namespaces of %s: %w", c.name, err)
		}
	}
	return nil
}

// leave gives a server's place up; with the last one the container goes.
func (c *containers) leave(instance, server string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.all[instance]
	if have == nil {
		return nil
	}
	delete(have.servers, server)
	if len(have.servers) > 0 {
		return nil
	}
	delete(c.all, instance)
	return c.remove(context.Background(), have)
}

// remove removes what a container consists of. The caller holds mu.
func (c *containers) remove(ctx context.Context, gone *container) error {
	errs := []error{c.network.Remove(gone.host)}
	if gone.network.IsOpen() {
		errs = append(errs, gone.network.Close())
	}
	for _, f := range []*os.File{gone.ipc, gone.uts} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	if gone.group != nil {
		ctx, cancel := context.WithTimeout(ctx, killLimit)
		defer cancel()
		errs = append(errs, gone.group.Remove(ctx))
	}
	return errors.Join(errs...)
}

// close removes all of them and their network. Nothing runs in them any more.
func (c *containers) close(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for instance, left := range c.all {
		delete(c.all, instance)
		errs = append(errs, c.remove(ctx, left))
	}
	if c.network != nil {
		errs = append(errs, c.network.Down())
		c.network = nil
	}
	return errors.Join(errs...)
}

// startOnUsersHost starts a command on the host that users are on; all else is as
// here.
func (c *containers) startOnUsersHost(cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.open(); err != nil {
		return err
	}
	network, err := netns.GetFromName(c.users.Netns)
	if err != nil {
		return fmt.Errorf("find the host of the users: %w", err)
	}
	defer network.Close()
	return thread.Spare(func() error {
		if err := netns.Set(network); err != nil {
			return fmt.Errorf("enter the host of the users: %w", err)
		}
		return cmd.Start()
	})
}

// enterPlace finds the place that the server asks for.
func (p *process) enterPlace() (err error) {
	at := p.server.Place
	if !at.Apart() {
		return nil
	}
	if err := (Kind{}).Deploys(context.Background(), at.Deployment); err != nil {
		return err
	}
	if at.Instance == "" || checkName(at.Instance) != nil {
		return fmt.Errorf("%q is not a valid name of an instance", at.Instance)
	}
	if p.in, err = p.local.containers.join(at.Instance, p.name, p.volume.Cgroups); err != nil {
		return err
	}
	p.place.Host, p.place.Users = p.in.host.Address, simnet.Subnet
	return nil
}

// leave gives up its place in its container, if it is in one.
func (p *process) leave() error {
	if p.in == nil {
		return nil
	}
	return p.local.containers.leave(p.server.Place.Instance, p.name)
}

// contained runs a command in a new namespace of processes: with a /proc that shows
// those alone, which has to be mounted from inside, and as another user if need be.
func contained(argv []string, who owner) []string {
	run := `exec "$@"`
	if who.change {
		run = fmt.Sprintf(`exec setpriv --reuid=%d --regid=%d --clear-groups -- "$@"`, who.uid, who.gid)
	}
	return append([]string{"/bin/sh", "-c", "mount -t proc plimsoll /proc && " + run, "sh"}, argv...)
}
