package gluster

import (
	"context"
	"os"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/doctor"
)

// Checks looks at what pools need.
func (k Kind) Checks(ctx context.Context) []doctor.Check {
	const none = "no Gluster pools"
	versions := doctor.Versions(ctx, k.Programs())
	return []doctor.Check{
		doctor.Root(none), doctor.FUSE("no Gluster mounts"), namespaces(none + ": each peer needs its own network"),
		doctor.Installed("Gluster", "glusterd "+versions["glusterd"], none, map[string]string{
			"glusterd": "glusterfs-server", "gluster": "glusterfs-server",
			"glusterfs": "glusterfs-server", "glusterfsd": "glusterfs-server",
		}),
		doctor.Installed("NFS-Ganesha", "ganesha.nfsd "+versions["ganesha.nfsd"], "no NFS access to Gluster volumes",
			map[string]string{"ganesha.nfsd": "nfs-ganesha nfs-ganesha-gluster"}),
	}
}

func namespaces(means string) doctor.Check {
	_, err := os.Stat("/proc/self/ns/net")
	able := err == nil && doctor.Capable(unix.CAP_SYS_ADMIN) && doctor.Capable(unix.CAP_NET_ADMIN) && doctor.Lookup("ip") != ""
	c := doctor.Check{
		Name: "network namespaces", Status: doctor.Wanted(able, doctor.Warn), Found: "can be made", Means: means,
		Fix: doctor.Install("iproute2", "iproute") + ", and run as root   (in a container: --privileged)",
	}
	if doctor.Lookup("ip") == "" {
		c.Lacks = doctor.Packages{Debian: "iproute2", Fedora: "iproute"}
	}
	if !able {
		c.Found = "cannot be made: they need root (CAP_SYS_ADMIN, CAP_NET_ADMIN) and the program ip"
	}
	return c
}

// Programs are those that a pool consists of.
func (Kind) Programs() []doctor.Program {
	return []doctor.Program{{Name: "glusterd"}, {Name: "ganesha.nfsd", Version: "-v"}, {Name: "ip", Version: "-V"}}
}
