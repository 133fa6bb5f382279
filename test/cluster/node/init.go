package node

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
)

// Isolation is what the first process is to be cloned with.
const Isolation = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// hidden are the directories that are empty at first in the node: programs leave
// files in fixed places there.
func hidden() []string { return []string{"/run", "/var/lib", "/var/log"} }

// Hides reports whether a directory of the machine cannot be seen in the node.
func Hides(path string) bool {
	for dir := filepath.Clean(path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		for _, h := range hidden() {
			if dir == h {
				return true
			}
		}
	}
	return false
}

// Init is the first process of the node whose files are in the directory. It makes
// the mounts, starts this program with other arguments and collects whatever
// becomes its child; it ends with it.
func Init(directory string, arguments []string) (code int, err error) {
	if err := isolate(directory); err != nil {
		return 1, fmt.Errorf("prepare the node's mounts: %w", err)
	}
	main, err := syscall.ForkExec("/proc/self/exe", append([]string{os.Args[0]}, arguments...), &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2, readyFile, lockFile, listenerFile},
	})
	if err != nil {
		return 1, fmt.Errorf("start the node: %w", err)
	}
	_, _ = syscall.Close(readyFile), syscall.Close(listenerFile) // the other process has them
	go forward(main)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case pid == main && status.Exited():
			return status.ExitStatus(), nil
		case pid == main:
			return 1, fmt.Errorf("the node was ended by signal %v", status.Signal())
		case err != nil && !errors.Is(err, syscall.EINTR):
			return 1, fmt.Errorf("wait for the node: %w", err)
		}
	}
}

// File descriptors that the first process is started with.
const (
	readyFile    = 3 // a pipe: "ready", or why not
	lockFile     = 4 // the node's directory's lock, held until the last process ends
	listenerFile = 5 // a socket of the machine's network that the API server answers on
)

func forward(pid int) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	for s := range signals {
		_ = syscall.Kill(pid, s.(syscall.Signal)) // ended already is as good
	}
}

// isolate makes the mounts: none of them reaches the machine, but all reach the
// containers that ask for them. What runs have mounted on the machine at this
// moment is not among them: their disks could not be detached while the node lives.
func isolate(directory string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return err
	}
	journal.LetGo(directory)
	steps := []error{
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""),
		unix.Mount("proc", "/proc", "proc", 0, ""),
	}
	for _, dir := range hidden() {
		steps = append(steps, unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=755"))
	}
	return errors.Join(append(steps, coverSettings())...)
}

// coverSettings lays over the kernel's settings that the kubelet changes for the
// whole machine files that have the values it wants: so it changes nothing.
func coverSettings() error {
	for name, value := range map[string]string{
		"vm/overcommit_memory": "1", "vm/panic_on_oom": "0",
		"kernel/panic": "10", "kernel/panic_on_oops": "1",
		"kernel/keys/root_maxkeys": "1000000", "kernel/keys/root_maxbytes": "25000000",
	} {
		cover := filepath.Join("/run/settings", name)
		err := os.MkdirAll(filepath.Dir(cover), 0o755)
		if err == nil {
			err = os.WriteFile(cover, []byte(value+"\n"), 0o644)
		}
		if err == nil {
			err = unix.Mount(cover, filepath.Join("/proc/sys", name), "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("cover the setting %s: %w", name, err)
		}
	}
	return nil
}
