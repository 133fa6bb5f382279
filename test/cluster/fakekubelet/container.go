package fakekubelet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// container is one of a pod.
type container struct {
	pod   *pod
	spec  *corev1.Container
	log   *logbook
	ended chan struct{}

	mu       sync.Mutex
	process  *os.Process // nil where the container is only said to run
	began    metav1.Time
	finished metav1.Time
	code     int
}

func (p *pod) newContainer(spec *corev1.Container) *container {
	return &container{pod: p, spec: spec, log: newLogbook(), ended: make(chan struct{})}
}

func (c *container) root() string { return c.pod.dir(c.spec.Name, "root") }

// entry is the path of the program in its image.
const entry = "/plimsoll"

// start starts its process, if it has one.
func (c *container) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.began = metav1.Now()
	if !c.pod.isReal() {
		return
	}
	command := c.spec.Command
	if len(command) == 0 {
		command = []string{entry}
	}
	cmd := c.command(context.Background(), append(command[:len(command):len(command)], c.spec.Args...))
	cmd.Stdout, cmd.Stderr = c.log, c.log
	if err := cmd.Start(); err != nil {
		_, _ = c.log.Write([]byte(err.Error() + "\n"))
		c.end(128)
		return
	}
	c.process = cmd.Process
	go func() {
		_ = cmd.Wait() // the state says how
		c.mu.Lock()
		defer c.mu.Unlock()
		c.end(exitCode(cmd.ProcessState))
	}()
}

// end notes how it ended. The caller holds mu.
func (c *container) end(code int) {
	c.code, c.finished = code, metav1.Now()
	c.log.close()
	close(c.ended)
}

// exitCode is as a shell has it.
func exitCode(s *os.ProcessState) int {
	if status := s.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// command runs a program in the container.
func (c *container) command(ctx context.Context, arguments []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	cmd.Dir = "/"
	cmd.Env = []string{"HOSTNAME=" + c.pod.object.Name, "HOME=/", "PATH=/"}
	for _, e := range c.spec.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+c.pod.valueOf(e))
	}
	uid, gid, groups := c.user()
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: c.root(), Setpgid: true, Credential: &syscall.Credential{Uid: uid, Gid: gid, Groups: groups}}
	cmd.WaitDelay = time.Second
	return cmd
}

func (p *pod) valueOf(e corev1.EnvVar) string {
	if e.ValueFrom == nil || e.ValueFrom.FieldRef == nil {
		return e.Value
	}
	return map[string]string{
		"metadata.name": p.object.Name, "metadata.namespace": p.object.Namespace, "spec.nodeName": p.object.Spec.NodeName, "status.podIP": p.address,
	}[e.ValueFrom.FieldRef.FieldPath]
}

// user is who the container's processes belong to.
func (c *container) user() (uid, gid uint32, groups []uint32) {
	uid, gid = 65532, 65532 // as the image says
	if s := c.pod.object.Spec.SecurityContext; s != nil {
		set(&uid, s.RunAsUser)
		set(&gid, s.RunAsGroup)
		if s.FSGroup != nil {
			groups = append(groups, uint32(*s.FSGroup))
		}
	}
	if s := c.spec.SecurityContext; s != nil {
		set(&uid, s.RunAsUser)
		set(&gid, s.RunAsGroup)
	}
	return uid, gid, groups
}

func set(to *uint32, value *int64) {
	if value != nil {
		*to = uint32(*value)
	}
}

// stop ends it, with SIGKILL once the time is over.
func (c *container) stop(grace time.Duration) {
	c.mu.Lock()
	process := c.process
	if process == nil && !isClosed(c.ended) {
		c.end(0)
	}
	c.mu.Unlock()
	if process == nil {
		return
	}
	if grace > 0 {
		_ = syscall.Kill(process.Pid, syscall.SIGTERM) // ended already is as good
	}
	select {
	case <-c.ended:
	case <-time.After(grace):
	}
	_ = syscall.Kill(-process.Pid, syscall.SIGKILL)
	<-c.ended
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// exec runs another program in the container to its end.
func (c *container) exec(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) (code int, err error) {
	if !c.pod.isReal() {
		return 0, errors.New("the container is simulated: no program can be run in it")
	}
	if isClosed(c.ended) {
		return 0, errors.New("the container has ended")
	}
	cmd := c.command(ctx, arguments)
	cmd.Stdout, cmd.Stderr = out, errs
	var stdin io.WriteCloser
	if in != nil { // which need not end when the program does
		if stdin, err = cmd.StdinPipe(); err != nil {
			return 0, err
		}
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if in != nil {
		go func() {
			_, _ = io.Copy(stdin, in)
			_ = stdin.Close()
		}()
	}
	err = cmd.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return 0, err
	}
	return exitCode(cmd.ProcessState), nil
}

const terminationLog = "dev/termination-log"

// message is what the container left to say about its end.
func (c *container) message() string {
	text, _ := os.ReadFile(filepath.Join(c.root(), terminationLog)) // none is as good
	if len(text) == 0 && c.code != 0 && c.spec.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError {
		text = c.log.tail()
	}
	return string(text[max(0, len(text)-2048):])
}

func (c *container) status() corev1.ContainerStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := corev1.ContainerStatus{Name: c.spec.Name, Image: c.spec.Image, ImageID: "simulated@sha256:" + fmt.Sprintf("%064d", 0), ContainerID: "simulated://" + string(c.pod.object.UID) + "-" + c.spec.Name}
	if !isClosed(c.ended) {
		s.Ready, s.Started = true, new(bool)
		*s.Started = true
		s.State.Running = &corev1.ContainerStateRunning{StartedAt: c.began}
		return s
	}
	reason := "Completed"
	if c.code != 0 {
		reason = "Error"
	}
	s.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: int32(c.code), Reason: reason, Message: c.message(), StartedAt: c.began, FinishedAt: c.finished, ContainerID: s.ContainerID}
	return s
}
