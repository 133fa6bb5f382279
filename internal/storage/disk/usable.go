package disk

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// usable lists everything that is missing, each with what mends it.
func usable(fileSystem string) error {
	var missing []string
	need := func(ok bool, text string) {
		if !ok {
			missing = append(missing, text)
		}
	}
	need(os.Geteuid() == 0, "root rights to mount (run it with sudo)")
	need(exists("/dev/fuse"), "/dev/fuse (run: modprobe fuse; in a container, pass --device /dev/fuse --privileged)")
	need(exists(loopControl), "/dev/loop-control (run: modprobe loop; in a container, pass --privileged)")
	_, err := exec.LookPath("mkfs." + fileSystem)
	need(err == nil, fmt.Sprintf("mkfs.%s (run: apt-get install %s)", fileSystem, mkfsPackage(fileSystem)))
	need(kernelKnows(fileSystem), fmt.Sprintf("%s in the kernel (run: modprobe %s)", fileSystem, fileSystem))
	if len(missing) > 0 {
		return errors.New("simulated media lack " + strings.Join(missing, "; and "))
	}
	return nil
}

func mkfsPackage(fileSystem string) string {
	if fileSystem == "xfs" {
		return "xfsprogs"
	}
	return "e2fsprogs"
}

// kernelKnows looks in /proc/filesystems; a module that is not loaded yet is
// looked for where modules lie.
func kernelKnows(fileSystem string) bool {
	text, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		return true // mount will tell
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) > 0 && fields[len(fields)-1] == fileSystem {
			return true
		}
	}
	return exec.Command("modprobe", "--dry-run", "--quiet", fileSystem).Run() == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
