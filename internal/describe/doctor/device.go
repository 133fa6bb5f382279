package doctor

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Root checks for root; means says what cannot be done without.
func Root(means string) Check {
	root := os.Geteuid() == 0
	found := "running as root"
	if !root {
		found = "running as an unprivileged user (uid " + strconv.Itoa(os.Geteuid()) + ")"
	}
	return Check{Name: "root", Status: Wanted(root, Warn), Found: found, Means: means, Fix: "sudo plimsoll ..."}
}

// FUSE checks for file systems in user space.
func FUSE(means string) Check {
	return device("FUSE", "/dev/fuse", canOpen("/dev/fuse"), means,
		"modprobe fuse   (in a container: --device /dev/fuse --cap-add SYS_ADMIN)")
}

// LoopDevices checks for block devices on files, and for the right to mount.
func LoopDevices(means string) Check {
	err := canOpen("/dev/loop-control")
	if err == nil && !Capable(unix.CAP_SYS_ADMIN) {
		err = errors.New("attaching and mounting need root (CAP_SYS_ADMIN)")
	}
	return device("loop devices", "/dev/loop-control", err, means,
		"modprobe loop, and run as root   (in a container: --privileged)")
}

func device(name, path string, err error, means, fix string) Check {
	c := Check{Name: name, Status: Wanted(err == nil, Warn), Found: path + " is usable", Means: means, Fix: fix}
	if err != nil {
		c.Found = err.Error()
	}
	return c
}

func canOpen(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// Installed returns a check for programs, each with the package that provides it. found is
// the check's text if all are installed.
func Installed(name, found, means string, packageOf map[string]string) Check {
	var missing, packages []string
	for _, program := range slices.Sorted(maps.Keys(packageOf)) {
		if Lookup(program) != "" {
			continue
		}
		missing = append(missing, program)
		if p := packageOf[program]; !slices.Contains(packages, p) {
			packages = append(packages, p)
		}
	}
	c := Check{Name: name, Status: Wanted(len(missing) == 0, Warn), Found: found, Means: means}
	if len(missing) > 0 {
		c.Found = "not installed: " + strings.Join(missing, ", ")
		all := strings.Join(packages, " ")
		c = c.By(Packages{Debian: all, Fedora: all})
	}
	return c
}

// Capable reports whether this process has a capability, from the mask in
// /proc/self/status.
func Capable(capability int) bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	for _, line := range strings.Split(string(status), "\n") {
		if mask, ok := strings.CutPrefix(line, "CapEff:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err == nil && bits>>capability&1 == 1
		}
	}
	return false
}
