package machine

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func (d doctor) root() Check {
	root := os.Geteuid() == 0
	found := "running as root"
	if !root {
		found = "running as an unprivileged user (uid " + strconv.Itoa(os.Geteuid()) + ")"
	}
	return Check{
		Name: "root", Status: okOr(root, Warn), Found: found,
		Means: "no simulated media and no Gluster pools; the quickstart compares memory with the local disk instead",
		Fix:   "sudo plimsoll ...",
	}
}

func (d doctor) cgroups() Check {
	cpu, memory, obstacle := limitable()
	c := Check{
		Name: "limits", Status: okOr(cpu && memory, Warn),
		Found: "CPU and memory limits by cgroup " + cgroupVersion(),
		Means: "instance limits are not enforced, which is noted in the results",
		Fix:   "run as root, or delegate a cgroup: systemd-run --user --scope -p Delegate=yes plimsoll ...",
	}
	if obstacle != "" {
		c.Found = fmt.Sprintf("CPU limits %s, memory limits %s: %s", yesNo(cpu), yesNo(memory), obstacle)
	}
	return c
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (d doctor) fuse() Check {
	err := canOpen("/dev/fuse")
	c := Check{
		Name: "FUSE", Status: okOr(err == nil, Warn), Found: "/dev/fuse is usable",
		Means: "no simulated media and no Gluster mounts",
		Fix:   "modprobe fuse   (in a container: --device /dev/fuse --cap-add SYS_ADMIN)",
	}
	if err != nil {
		c.Found = err.Error()
	}
	return c
}

func (d doctor) loopDevices() Check {
	err := canOpen("/dev/loop-control")
	if err == nil && !capable(unix.CAP_SYS_ADMIN) {
		err = fmt.Errorf("attaching and mounting need root (CAP_SYS_ADMIN)")
	}
	c := Check{
		Name: "loop devices", Status: okOr(err == nil, Warn), Found: "/dev/loop-control is usable",
		Means: "no simulated media and no Gluster bricks",
		Fix:   "modprobe loop, and run as root   (in a container: --privileged)",
	}
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

// capable says whether this process has a capability, from the mask in
// /proc/self/status.
func capable(capability int) bool {
	for _, line := range strings.Split(textOf("/proc/self/status"), "\n") {
		if mask, ok := strings.CutPrefix(line, "CapEff:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err == nil && bits>>capability&1 == 1
		}
	}
	return false
}

func (d doctor) fileSystemTools() Check {
	missing, packages := missingPrograms(map[string]string{"mkfs.xfs": "xfsprogs", "mkfs.ext4": "e2fsprogs"})
	c := Check{
		Name: "file system tools", Status: okOr(len(missing) == 0, Warn), Found: "mkfs.xfs and mkfs.ext4 are installed",
		Means: "simulated media use another file system; studies that require this one and Gluster bricks (XFS) cannot run",
		Fix:   install(packages, packages),
	}
	if len(missing) > 0 {
		c.Found = "missing: " + strings.Join(missing, ", ")
	}
	return c
}

func (d doctor) namespaces() Check {
	ok := capable(unix.CAP_SYS_ADMIN) && capable(unix.CAP_NET_ADMIN) && exists("/proc/self/ns/net") && lookup("ip") != ""
	c := Check{
		Name: "network namespaces", Status: okOr(ok, Warn), Found: "can be made",
		Means: "no Gluster pools: each peer needs its own network",
		Fix:   install("iproute2", "iproute") + ", and run as root   (in a container: --privileged)",
	}
	if !ok {
		c.Found = "cannot be made: they need root (CAP_SYS_ADMIN, CAP_NET_ADMIN) and the program ip"
	}
	return c
}

func (d doctor) gluster() Check {
	missing, _ := missingPrograms(map[string]string{"glusterd": "", "gluster": "", "glusterfs": "", "glusterfsd": ""})
	c := Check{
		Name: "Gluster", Status: okOr(len(missing) == 0, Warn), Found: "glusterd " + programNamed("glusterd").versions(d.ctx),
		Means: "no Gluster pools",
		Fix:   install("glusterfs-server", "glusterfs-server"),
	}
	if len(missing) > 0 {
		c.Found = "not installed: " + strings.Join(missing, ", ")
	}
	return c
}

func (d doctor) ganesha() Check {
	v := programNamed("ganesha.nfsd").versions(d.ctx)
	c := Check{
		Name: "NFS-Ganesha", Status: okOr(v != "", Warn), Found: "ganesha.nfsd " + v,
		Means: "no NFS access to Gluster volumes",
		Fix:   install("nfs-ganesha nfs-ganesha-gluster", "nfs-ganesha nfs-ganesha-gluster"),
	}
	if v == "" {
		c.Found = "not installed"
	}
	return c
}

// missingPrograms gives the programs that are not installed, sorted, and the
// packages that hold them.
func missingPrograms(packageOf map[string]string) (missing []string, packages string) {
	var names []string
	for _, program := range sortedKeys(packageOf) {
		if lookup(program) == "" {
			missing = append(missing, program)
			names = append(names, packageOf[program])
		}
	}
	return missing, strings.Join(names, " ")
}
