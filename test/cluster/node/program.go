package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// program is one of the node's programs.
type program struct {
	name    string
	command []string
	log     string

	mu    sync.Mutex
	ended chan struct{} // of the process; nil when there is none
	pid   int
}

// start starts it, unless it runs.
func (p *program) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running() {
		return nil
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	defer log.Close()
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	ended := make(chan struct{})
	p.pid, p.ended = cmd.Process.Pid, ended
	go func() {
		state := cmd.Wait()
		fmt.Fprintf(os.Stdout, "%s %s ended: %v\n", time.Now().Format(time.TimeOnly), p.name, state)
		close(ended)
	}()
	return nil
}

func (p *program) running() bool {
	if p.ended == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// patience is how long a program may take to end before it is killed.
const patience = 20 * time.Second

// stop ends it with a signal and waits until it has ended.
func (p *program) stop(s syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running() {
		return nil
	}
	if err := syscall.Kill(p.pid, s); err != nil {
		return fmt.Errorf("end %s: %w", p.name, err)
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
		<-p.ended
	}
	return nil
}

// wait tries until it succeeds. The error has the end of the program's log.
func (p *program) wait(ctx context.Context, what string, try func(context.Context) error) error {
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		p.mu.Lock()
		running := p.running()
		p.mu.Unlock()
		if !running {
			return fmt.Errorf("wait until %s: %s has ended; %s", what, p.name, p.tail())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w; %s", what, errors.Join(ctx.Err(), err), p.tail())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (p *program) tail() string {
	text, _ := os.ReadFile(p.log)
	return "its log ends with: " + strings.TrimSpace(string(text[max(0, len(text)-2000):]))
}

// programs gives the node's programs by name.
func (c Config) programs() map[string]*program {
	kube := filepath.Join(c.Programs, "kube")
	all := map[string][]string{
		"etcd":       etcd(),
		"containerd": {"containerd", "--config", c.path("containerd.toml")},
		"kubelet": {kube, "kubelet", "--config=" + c.path("kubelet.yaml"), "--kubeconfig=" + c.path("kubelet.kubeconfig"),
			"--root-dir=" + c.path("kubelet"), "--cert-dir=" + c.path("kubelet-pki"), "--hostname-override=" + Node, "--node-ip=" + address,
			"--containerd=/run/containerd.sock"}, // cAdvisor measures containers through it
		"kube-proxy":              {kube, "kube-proxy", "--config=" + c.path("kube-proxy.yaml")},
		"kube-apiserver":          append([]string{kube, "kube-apiserver"}, c.apiServer()...),
		"kube-controller-manager": append([]string{kube, "kube-controller-manager"}, c.controllerManager()...),
		"kube-scheduler":          append([]string{kube, "kube-scheduler", retry, backoff}, c.identity("kube-scheduler")...),
	}
	programs := map[string]*program{}
	for name, command := range all {
		programs[name] = &program{name: name, command: command, log: c.Log(name)}
	}
	return programs
}

// retry makes the scheduler look again after seconds, rather than five minutes, at a
// pod for which nothing seems to have changed.
const retry = "--pod-max-in-unschedulable-pods-duration=20s"

// backoff makes the scheduler wait at least a second before it tries a pod again. Since
// 1.33 it does so at once when it has nothing else to do: a pod whose claim has just been
// bound was tried before the scheduler's own cache knew, and then left alone.
const backoff = "--feature-gates=SchedulerPopFromBackoffQ=false"

// etcd returns the command line of etcd, with its data in memory, because tests measure the disk.
func etcd() []string {
	return []string{"etcd", "--name=" + Node, "--data-dir=/run/etcd", "--logger=zap", "--log-level=warn",
		"--listen-client-urls=http://127.0.0.1:2379", "--advertise-client-urls=http://127.0.0.1:2379",
		"--listen-peer-urls=http://127.0.0.1:2380", "--initial-advertise-peer-urls=http://127.0.0.1:2380",
		"--initial-cluster=" + Node + "=http://127.0.0.1:2380"}
}

func (c Config) apiServer() []string {
	pki := func(name string) string { return c.path("pki", name) }
	flags := []string{"--etcd-servers=http://127.0.0.1:2379", "--service-cluster-ip-range=" + services,
		"--advertise-address=" + address, "--bind-address=0.0.0.0", "--secure-port=6443", "--allow-privileged=true",
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		// The second lets the controller manager's and the scheduler's own servers
		// check credentials here.
		"--client-ca-file=" + pki("ca.crt"), "--requestheader-client-ca-file=" + pki("ca.crt"),
		"--tls-cert-file=" + pki("apiserver.crt"), "--tls-private-key-file=" + pki("apiserver.key"),
		"--kubelet-client-certificate=" + pki("apiserver-kubelet-client.crt"), "--kubelet-client-key=" + pki("apiserver-kubelet-client.key"),
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-key-file=" + pki("service-accounts.key"), "--service-account-signing-key-file=" + pki("service-accounts.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local"}
	if c.Nodes > 0 {
		flags = append(flags, "--audit-policy-file="+c.path("audit.yaml"), "--audit-log-path="+c.Audit())
	}
	return flags
}

func (c Config) controllerManager() []string {
	return append(c.identity("kube-controller-manager"), "--use-service-account-credentials",
		"--service-account-private-key-file="+c.path("pki", "service-accounts.key"), "--root-ca-file="+c.path("pki", "ca.crt"))
}

// identity is common to the programs that look for work at the API server.
func (c Config) identity(name string) []string {
	file := c.path(name + ".kubeconfig")
	return []string{"--kubeconfig=" + file, "--authentication-kubeconfig=" + file, "--authorization-kubeconfig=" + file,
		"--leader-elect=false", "--bind-address=127.0.0.1",
		"--kube-api-qps=500", "--kube-api-burst=1000"} // many pods are made at once
}
