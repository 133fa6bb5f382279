package cgroup

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/thread"
)

// Group is one group of processes. A group of a Tree that has no hierarchy is
// valid and does nothing.
type Group struct {
	version     string
	directories map[string]string
}

// Directories maps a controller ("" for version 2) to the group's directory.
func (g *Group) Directories() map[string]string { return maps.Clone(g.directories) }

// Exists reports whether the kernel keeps such a group at all.
func (g *Group) Exists() bool { return len(g.directories) > 0 }

func (g *Group) unique() []string { return unique(g.directories) }

// period is the span over which a CPU limit is shared out, in microseconds:
// the kernel's default.
const period = 100_000

func (g *Group) limitCPU(cores float64) error {
	quota := max(1000, int64(cores*period)) // the kernel takes no less than a millisecond
	if g.version == V2 {
		return g.write("", "cpu.max", fmt.Sprintf("%d %d", quota, period))
	}
	if err := g.write("cpu", "cpu.cfs_period_us", strconv.Itoa(period)); err != nil {
		return err
	}
	return g.write("cpu", "cpu.cfs_quota_us", strconv.FormatInt(quota, 10))
}

// limitMemory also denies swap where the kernel can: an instance that swaps
// would measure the swap device.
func (g *Group) limitMemory(bytes int64) error {
	limit := strconv.FormatInt(bytes, 10)
	if g.version == V2 {
		if err := g.write("", "memory.max", limit); err != nil {
			return err
		}
		return g.writeIfPresent("", "memory.swap.max", "0")
	}
	if err := g.write("memory", "memory.limit_in_bytes", limit); err != nil {
		return err
	}
	return g.writeIfPresent("memory", "memory.memsw.limit_in_bytes", limit)
}

func (g *Group) write(controller, file, value string) error {
	path := filepath.Join(g.directories[controller], file)
	if err := os.WriteFile(path, []byte(value), 0); err != nil {
		return fmt.Errorf("write %s: %w", value, err)
	}
	return nil
}

func (g *Group) writeIfPresent(controller, file, value string) error {
	if _, err := os.Stat(filepath.Join(g.directories[controller], file)); err != nil {
		return nil
	}
	return g.write(controller, file, value)
}

// Start starts a command inside the group: neither it nor a child of it is
// ever outside. cmd.SysProcAttr may be set and is added to.
func (g *Group) Start(cmd *exec.Cmd) error {
	return g.StartAfter(cmd, func() error { return nil })
}

// StartAfter starts a command from a thread that prepare has changed, such as
// by giving it a mount table of its own.
func (g *Group) StartAfter(cmd *exec.Cmd, prepare func() error) error {
	return thread.Spare(func() error {
		if err := prepare(); err != nil {
			return err
		}
		switch g.version {
		case V1:
			return g.startV1(cmd)
		case V2:
			return g.startV2(cmd)
		}
		return cmd.Start()
	})
}

func (g *Group) startV2(cmd *exec.Cmd) error {
	dir, err := os.Open(g.directories[""])
	if err != nil {
		return fmt.Errorf("enter the cgroup: %w", err)
	}
	defer dir.Close()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
	return cmd.Start()
}

// startV1 moves the calling thread into the group; a child is born where the
// thread that makes it is.
func (g *Group) startV1(cmd *exec.Cmd) error {
	thread := strconv.Itoa(unix.Gettid())
	for _, dir := range g.unique() {
		if err := os.WriteFile(filepath.Join(dir, "tasks"), []byte(thread), 0); err != nil {
			return fmt.Errorf("enter the cgroup: %w", err)
		}
	}
	return cmd.Start()
}

// PIDs are the processes in the group now. This process is never one of them:
// version 1 names it for the moment in which a thread of it starts a command.
func (g *Group) PIDs() []int {
	for _, dir := range g.unique() {
		return pidsIn(dir)
	}
	return nil
}

func pidsIn(dir string) []int {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil
	}
	var pids []int
	for field := range strings.FieldsSeq(string(data)) {
		if pid, err := strconv.Atoi(field); err == nil && pid > 0 && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Throttled counts the periods in which the CPU limit held the group back.
func (g *Group) Throttled() int {
	controller := "cpu"
	if g.version == V2 {
		controller = ""
	}
	return readCounter(filepath.Join(g.directories[controller], "cpu.stat"), "nr_throttled")
}

func readCounter(path, key string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == key {
			n, _ := strconv.Atoi(value)
			return n
		}
	}
	return 0
}

// Kill kills everything in the group and waits until it is empty.
func (g *Group) Kill(ctx context.Context) error {
	for {
		pids := g.PIDs()
		if len(pids) == 0 {
			return nil
		}
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL) // gone already is as good
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("processes %v of cgroup %s did not end: %w", pids, strings.Join(slices.Collect(maps.Values(g.directories)), ", "), ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Remove removes the group, which must be empty.
func (g *Group) Remove(ctx context.Context) error {
	for _, dir := range g.unique() {
		if err := removeEmpty(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}
