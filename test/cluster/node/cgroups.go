package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// hierarchies are the mount points of all cgroup hierarchies.
func hierarchies() ([]string, error) {
	all, err := procfs.GetMounts()
	if err != nil {
		return nil, fmt.Errorf("find the cgroup hierarchies: %w", err)
	}
	var points []string
	for _, m := range all {
		if (m.FSType == "cgroup" || m.FSType == "cgroup2") && !slices.Contains(points, m.MountPoint) {
			points = append(points, m.MountPoint)
		}
	}
	return points, nil
}

// makeCgroups makes the cgroup in which the kubelet makes the cgroups of pods.
func (c Config) makeCgroups() error {
	points, err := hierarchies()
	if err != nil {
		return err
	}
	for _, point := range points {
		group := filepath.Join(point, c.Name)
		if err := os.MkdirAll(group, 0o755); err != nil {
			return fmt.Errorf("make a cgroup: %w", err)
		}
		// Version 1 lets nothing into a group that has no processors and no memory.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			if err := inherit(point, group, file); err != nil {
				return fmt.Errorf("make a cgroup: %w", err)
			}
		}
	}
	return nil
}

func inherit(from, to, file string) error {
	value, err := os.ReadFile(filepath.Join(from, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, file), value, 0)
}

// killContainers ends all processes of pods.
func (c Config) killContainers(ctx context.Context) error {
	points, err := hierarchies()
	if err != nil {
		return err
	}
	for {
		var left []int
		for _, point := range points {
			left = append(left, processesBelow(filepath.Join(point, c.Name))...)
		}
		if len(left) == 0 {
			return nil
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // ended already is as good
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("processes %v of pods did not end: %w", left, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func processesBelow(group string) (pids []int) {
	_ = filepath.WalkDir(group, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "cgroup.procs" {
			return nil //nolint:nilerr // groups go away meanwhile
		}
		text, _ := os.ReadFile(path)
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil && pid > 0 { // 0 is not in these namespaces
				pids = append(pids, pid)
			}
		}
		return nil
	})
	return pids
}

// RemoveCgroups removes the groups of a node whose processes have ended.
func RemoveCgroups(ctx context.Context, name string) error {
	points, err := hierarchies()
	if err != nil {
		return err
	}
	for _, point := range points {
		if err := removeGroup(ctx, filepath.Join(point, name)); err != nil {
			return fmt.Errorf("remove the cgroups of %s: %w", name, err)
		}
	}
	return nil
}

// removeGroup tries for a while: the kernel keeps a group until the last trace of
// its processes is gone.
func removeGroup(ctx context.Context, group string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		err := removeGroups(group)
		if err == nil || !errors.Is(err, unix.EBUSY) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// removeGroups removes a group after those below it.
func removeGroups(group string) error {
	inside, err := os.ReadDir(group)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range inside {
		if entry.IsDir() {
			err = errors.Join(err, removeGroups(filepath.Join(group, entry.Name())))
		}
	}
	if err != nil {
		return err
	}
	if err := unix.Rmdir(group); err != nil && !errors.Is(err, unix.ENOENT) {
		return &fs.PathError{Op: "rmdir", Path: group, Err: err}
	}
	return nil
}

// unmountBelow takes the mounts below a directory off, the deepest first.
func unmountBelow(dir string) {
	all, _ := procfs.GetMounts() // what stays ends with the node
	for _, m := range slices.Backward(all) {
		if strings.HasPrefix(m.MountPoint, dir+"/") {
			_ = unix.Unmount(m.MountPoint, unix.MNT_DETACH)
		}
	}
}
