package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"plimsoll/test/cluster/dns"
)

// node is the cluster as it runs.
type node struct {
	Config
	programs map[string]*program
	client   kubernetes.Interface
	storage  *storage
	began    time.Time
	runtime  chan struct{} // closed when containerd answers

	serving context.Context // of what this process itself serves
	end     func()          // ends it
}

// Run brings the node up, says so on the file that it was started with, and keeps
// it until it is told to end.
func Run(directory string) error {
	// Of what this was started with, the lock is for all programs.
	syscall.CloseOnExec(readyFile)
	syscall.CloseOnExec(listenerFile)
	ready := os.NewFile(readyFile, "ready")
	defer ready.Close()
	c, err := Read(directory)
	if err != nil {
		return err
	}
	ctx, stop := c.untilTheEnd()
	defer stop()
	n := newNode(c)
	err = n.listen(ctx, stop)
	if err == nil {
		err = relay(ctx)
	}
	if err == nil {
		err = n.up(ctx)
	}
	if err != nil {
		fmt.Fprintln(ready, err)
		return errors.Join(err, n.down())
	}
	fmt.Fprintln(ready, IsReady)
	if err := ready.Close(); err != nil {
		return err
	}
	<-ctx.Done()
	n.says("told to end: " + context.Cause(ctx).Error())
	return n.down()
}

// untilTheEnd returns a context that ends when the node gets a signal to end, or when the process
// that started it has ended.
func (c Config) untilTheEnd() (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	if !c.Stays {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // ends with who started this
			stop()
		}()
	}
	return ctx, stop
}

func newNode(c Config) *node {
	n := &node{Config: c, programs: c.programs(), began: time.Now(), runtime: make(chan struct{})}
	n.serving, n.end = context.WithCancel(context.Background())
	return n
}

// IsReady is what Run says when the node is up.
const IsReady = "ready"

// limit is how long the node may take to come up on a busy machine.
const limit = 10 * time.Minute

func (n *node) up(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, dir := range []string{"log", "pods", "plugins", "kubelet"} {
		if err := os.MkdirAll(n.path(dir), 0o755); err != nil {
			return err
		}
	}
	for _, make := range []func() error{makeNetwork, n.makeCertificates, n.writeFiles, n.connect, n.makeCgroups} {
		if err := make(); err != nil {
			return err
		}
	}
	if n.Nodes > 0 {
		return n.simulate(ctx)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return n.containers(ctx) })
	group.Go(func() error { return n.control(ctx) })
	return group.Wait()
}

// says writes a line with the time since the start.
func (n *node) says(what string) {
	fmt.Printf("%6.1f s  %s\n", time.Since(n.began).Seconds(), what)
}

func (n *node) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", n.path(inside+".kubeconfig"))
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 1000
	n.client, err = kubernetes.NewForConfig(config)
	return err
}

// containers starts containerd and imports the images.
func (n *node) containers(ctx context.Context) error {
	containerd := n.programs["containerd"]
	if err := containerd.start(); err != nil {
		return err
	}
	if err := containerd.wait(ctx, "containerd answers", func(ctx context.Context) error { return n.ctr(ctx, "version") }); err != nil {
		return err
	}
	close(n.runtime)
	n.says("containerd answers")
	for _, file := range n.Images {
		if err := n.ctr(ctx, "images", "import", file); err != nil {
			return err
		}
	}
	n.says("images are imported")
	return nil
}

func (n *node) ctr(ctx context.Context, arguments ...string) error {
	out, err := exec.CommandContext(ctx, "ctr", append([]string{"--address", "/run/containerd.sock", "--namespace", "k8s.io"}, arguments...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ctr %v: %w: %s", arguments, err, out)
	}
	return nil
}

// control starts what everything else asks, and then the rest.
func (n *node) control(ctx context.Context) error {
	if err := n.programs["etcd"].start(); err != nil {
		return err
	}
	if err := n.startAPIServer(ctx); err != nil {
		return err
	}
	select {
	case <-n.runtime: // without which the kubelet gives up
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, name := range []string{"kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy"} {
		if err := n.programs[name].start(); err != nil {
			return err
		}
	}
	if err := n.startStorage(ctx); err != nil {
		return err
	}
	n.says("the storage classes are ready")
	if err := dns.Serve(n.serving, address+":53", n.client); err != nil {
		return err
	}
	return n.allReady(ctx)
}

func (n *node) allReady(ctx context.Context) error {
	for name, try := range map[string]func(context.Context) error{
		"kubelet": n.nodeReady, "kube-proxy": answers("http://" + address + ":10256/healthz"), "kube-controller-manager": n.accountReady,
	} {
		if err := n.programs[name].wait(ctx, name+" is ready", try); err != nil {
			return err
		}
		n.says(name + " is ready")
	}
	return nil
}

func (n *node) startAPIServer(ctx context.Context) error {
	server := n.programs["kube-apiserver"]
	if err := server.start(); err != nil {
		return err
	}
	err := server.wait(ctx, "the API server is ready", func(ctx context.Context) error {
		return n.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
	n.says("the API server is ready")
	return err
}

func (n *node) nodeReady(ctx context.Context) error {
	found, err := n.client.CoreV1().Nodes().Get(ctx, Node, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, c := range found.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			return nil
		} else if c.Type == corev1.NodeReady {
			err = errors.New(c.Message)
		}
	}
	return errors.Join(errors.New("the node is not ready"), err)
}

// accountReady returns an error until pods can be made in the namespace default, and find the
// API server by its name.
func (n *node) accountReady(ctx context.Context) error {
	_, err := n.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return dns.Ask(ctx, address+":53", "kubernetes.default.svc.cluster.local.")
}

// answers asks a page until its status is 200.
func answers(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", url, response.Status)
		}
		return nil
	}
}

// down ends everything in an order in which nothing is started again, and takes the
// simulated disk down. The mounts and what else is left end with the first process.
func (n *node) down() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	n.end()
	var errs []error
	for _, name := range []string{"kubelet", "kube-controller-manager", "kube-scheduler", "kube-proxy", "containerd"} {
		errs = append(errs, n.programs[name].stop(syscall.SIGKILL))
	}
	errs = append(errs, n.killContainers(ctx))
	unmountBelow(n.path("kubelet"))
	if n.storage != nil {
		errs = append(errs, n.storage.down(ctx))
	}
	for _, name := range []string{"kube-apiserver", "etcd"} {
		errs = append(errs, n.programs[name].stop(syscall.SIGKILL))
	}
	n.says("the node is down")
	return errors.Join(errs...)
}

// importImage brings an image in while the node runs.
func (n *node) importImage(ctx context.Context, file string) error {
	return n.ctr(ctx, "images", "import", filepath.Clean(file))
}
