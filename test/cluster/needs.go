package cluster

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	"plimsoll/internal/storage/disk"
)

// leftOut is the variable that keeps tests from having a cluster.
const leftOut = "PLIMSOLL_CLUSTER"

// Missing says what this machine lacks to run a cluster; nil when it lacks nothing.
func Missing() error {
	if os.Getenv(leftOut) == "off" {
		return errors.New(leftOut + "=off leaves out the tests on a cluster; make test-cluster runs them")
	}
	if os.Geteuid() != 0 {
		return errors.New("a test cluster needs root")
	}
	var missing []string
	for program, pkg := range map[string]string{
		"etcd": "etcd-server", "containerd": "containerd", "ctr": "containerd", "runc": "runc", "iptables": "iptables", "ldd": "libc-bin", "nsenter": "util-linux",
	} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program+" (package "+pkg+")")
		}
	}
	for _, plugin := range []string{"ptp", "host-local", "portmap", "loopback"} {
		if _, err := os.Stat("/usr/lib/cni/" + plugin); err != nil {
			missing = append(missing, "the CNI plugin "+plugin+" (package containernetworking-plugins)")
		}
	}
	if len(missing) > 0 {
		return errors.New("a test cluster needs " + strings.Join(missing, ", ") + "; run: make needs")
	}
	return disk.Kind{}.Usable(disk.Kind{}.Defaults())
}
