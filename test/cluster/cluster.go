// Package cluster runs a real Kubernetes cluster of one node on this machine, for
// tests and for people: etcd, containerd and the network plugins of the
// distribution, Kubernetes built from its modules, images made of the
// programs that are installed here. It needs no registry and reaches no network.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"plimsoll/test/cluster/images"
	"plimsoll/test/cluster/node"
)

// Options say how a cluster differs from the usual one.
type Options struct {
	// Media is the simulated disk of the storage class slow: hdd-7200 unless set.
	Media string
	// Stays lets the cluster outlive this process; otherwise it ends with it.
	Stays bool
	// Nodes makes a simulated cluster of so many nodes: its control plane is real, but a
	// pod is run, as processes, only if all its containers have the image of
	// Plimsoll, or images.Empty; of all others it is only said that they run. The class fast alone
	// is there. 0 is a real cluster of one node.
	Nodes int
	// Plimsoll is the program in the image of Plimsoll; built from the sources unless set.
	Plimsoll string
	// Say gets what happens, in lines; nil discards it.
	Say func(string)
}

// Cluster is one that runs.
type Cluster struct {
	// Kubeconfig is the administrator's; it works anywhere on this machine.
	Kubeconfig string
	// Images gives the references of the imported images by name: plimsoll, tools,
	// postgres, mariadb, nginx, php-fpm.
	Images map[string]string

	config node.Config
	pid    int // of its first process
	client *node.Client
	turn   *os.File // locked for as long as it runs, unless it stays
}

// Up starts a cluster and gives it when its node is ready. What an earlier one left
// that was killed is removed first.
func Up(ctx context.Context, o Options) (*Cluster, error) {
	if err := Missing(); err != nil {
		return nil, err
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	p, err := build(ctx, o.Say)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Images: map[string]string{"plimsoll": images.Plimsoll}}
	c.config = node.Config{
		Programs: p.kube, Plimsoll: o.Plimsoll, References: c.Images, Media: o.Media, Nodes: o.Nodes, Stays: o.Stays,
	}
	if o.Plimsoll == "" {
		c.config.Plimsoll = filepath.Join(p.own, "plimsoll")
	}
	if o.Media == "" {
		c.config.Media = "hdd-7200"
	}
	if o.Nodes == 0 {
		if c.config.Images, err = c.archives(ctx, p); err != nil {
			return nil, err
		}
	}
	if !o.Stays {
		turns, err := turnsHere()
		if err != nil {
			return nil, err
		}
		if c.turn, err = waitForTurn(ctx, turns, o.Say); err != nil {
			return nil, err
		}
	}
	if err := c.launch(ctx, p, o); err != nil {
		return nil, errors.Join(fmt.Errorf("start the cluster: %w", err), c.Down())
	}
	return c, nil
}

// archives makes the images, and gives their files.
func (c *Cluster) archives(ctx context.Context, p programs) ([]string, error) {
	all, err := images.All(ctx, filepath.Join(p.own, "pause"), c.config.Plimsoll)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(p.cache, "images")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var files []string
	err = locked(filepath.Join(p.cache, "images.lock"), func() error {
		for _, image := range all {
			file, err := image.Archive(dir)
			if err != nil {
				return err
			}
			files = append(files, file)
			c.Images[image.Name] = image.Reference
		}
		return nil
	})
	return files, err
}

// launch starts the first process and waits until the node is ready.
func (c *Cluster) launch(ctx context.Context, p programs, o Options) error {
	lock, err := c.occupy()
	if err != nil {
		return err
	}
	defer lock.Close() // the cluster holds it from then on
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	c.config.API = listener.Addr().String()
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer socket.Close()
	if err := c.config.Write(); err != nil {
		return err
	}
	ready, err := c.spawn(filepath.Join(p.own, "cluster"), lock, socket)
	if err != nil {
		return err
	}
	defer ready.Close()
	o.Say("starting the cluster in " + c.config.Directory)
	return c.await(ctx, ready)
}

// spawn starts the first process, and gives what the node says of itself.
func (c *Cluster) spawn(program string, lock, socket *os.File) (ready *os.File, err error) {
	log, err := os.Create(filepath.Join(c.config.Directory, "node.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	ready, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer tell.Close()
	cmd := exec.Command(program, "init", c.config.Directory)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{tell, lock, socket}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: node.Isolation, Setsid: true}
	var input io.Closer = io.NopCloser(nil)
	if !c.config.Stays {
		if input, err = cmd.StdinPipe(); err != nil {
			return nil, errors.Join(err, ready.Close())
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, ready.Close())
	}
	c.pid = cmd.Process.Pid
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		_ = input.Close()
	}()
	return ready, os.WriteFile(filepath.Join(c.config.Directory, pidFile), []byte(strconv.Itoa(c.pid)), 0o644)
}

// await waits until the node says that it is ready, or why not.
func (c *Cluster) await(ctx context.Context, ready *os.File) error {
	stop := context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Now()) })
	defer stop()
	text, err := io.ReadAll(ready)
	switch text := strings.TrimSpace(string(text)); {
	case ctx.Err() != nil:
		return ctx.Err()
	case text == node.IsReady:
		c.Kubeconfig = c.config.Kubeconfig()
		return nil
	case text != "":
		return errors.New(text)
	}
	log, _ := os.ReadFile(filepath.Join(c.config.Directory, "node.log"))
	return errors.Join(fmt.Errorf("the node has ended: %s", strings.TrimSpace(string(log))), err)
}

// Config is the administrator's configuration of a client.
func (c *Cluster) Config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 100, 200
	return config, nil
}

// Directory holds everything that the cluster consists of: log/*.log is what its
// programs say.
func (c *Cluster) Directory() string { return c.config.Directory }

// Netns returns the file of the node's network namespace, as nsenter --net takes it. Pods and
// services use the same network.
func (c *Cluster) Netns() string { return fmt.Sprintf("/proc/%d/ns/net", c.pid) }

// Command runs a program of this machine in the node's network. KUBECONFIG is set,
// and kubectl is there.
func (c *Cluster) Command(ctx context.Context, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{"--net=" + c.Netns(), "--"}, arguments...)...)
	cmd.Env = append(os.Environ(), c.Environment()...)
	return cmd
}

// Inside runs a program where the node's own programs run: with their mounts,
// processes and network, such as ctr --address /run/containerd.sock.
func (c *Cluster) Inside(ctx context.Context, arguments ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "nsenter", append([]string{"--target", strconv.Itoa(c.pid), "--mount", "--pid", "--net", "--"}, arguments...)...)
}

// Environment makes kubectl usable.
func (c *Cluster) Environment() []string {
	return []string{"KUBECONFIG=" + c.config.Kubeconfig(), "PATH=" + c.config.Programs + ":" + os.Getenv("PATH")}
}

// StartProgram starts one of the node's programs: etcd, containerd, kubelet, kube-apiserver,
// kube-controller-manager, kube-scheduler, kube-proxy. The API server answers then.
func (c *Cluster) StartProgram(ctx context.Context, name string) error {
	return c.client.Do(ctx, "start/"+name)
}

// StopProgram ends one of the node's programs with SIGTERM and waits until it has ended.
func (c *Cluster) StopProgram(ctx context.Context, name string) error {
	return c.client.Do(ctx, "stop/"+name)
}

// KillProgram ends one of the node's programs with SIGKILL.
func (c *Cluster) KillProgram(ctx context.Context, name string) error {
	return c.client.Do(ctx, "kill/"+name)
}

// Import brings an image in from an archive.
func (c *Cluster) Import(ctx context.Context, archive string) error {
	file, err := filepath.Abs(archive)
	if err != nil {
		return err
	}
	return c.client.Do(ctx, "import?file="+file)
}

// Down ends the cluster and removes everything that it left.
func (c *Cluster) Down() error {
	if c.turn != nil {
		defer c.turn.Close() // the next one may start
	}
	if c.config.Directory == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if c.pid != 0 {
		_ = c.client.Do(ctx, "down") // a node that does not listen is killed
		if !c.hasEnded(ctx) {
			_ = unix.Kill(c.pid, unix.SIGKILL) // all other processes end with it
		}
	}
	if !c.hasEnded(context.Background()) {
		return fmt.Errorf("end the cluster: process %d still runs", c.pid)
	}
	return remove(c.config)
}
