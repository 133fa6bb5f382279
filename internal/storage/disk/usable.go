package disk

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// usable says everything that is missing, each with the command that installs
// or enables it.
func usable(fs fileSystem) error {
	if missing := append(lacks(), fs.lacks()...); len(missing) > 0 {
		return errors.New("simulated media need " + strings.Join(missing, "; and "))
	}
	return nil
}

// needs collects missing requirements.
type needs []string

func (n *needs) need(ok bool, text string) {
	if !ok {
		*n = append(*n, text)
	}
}

// lacks lists the requirements of every simulated medium that this machine does not have.
func lacks() []string {
	var n needs
	n.need(os.Geteuid() == 0, "root to mount (run it with sudo)")
	n.need(exists("/dev/fuse"), "/dev/fuse (run: modprobe fuse; in a container, pass --device /dev/fuse --privileged)")
	n.need(exists(loopControl), "/dev/loop-control (run: modprobe loop; in a container, pass --privileged)")
	return n
}

// lacks lists what this file system needs and this machine does not have.
func (fs fileSystem) lacks() []string {
	var n needs
	_, err := exec.LookPath("mkfs." + fs.name)
	n.need(err == nil, fmt.Sprintf("mkfs.%s (run: apt-get install %s)", fs.name, fs.tools))
	n.need(kernelKnows(fs.name), fmt.Sprintf("%s in the kernel (run: modprobe %s)", fs.name, fs.name))
	return n
}

// kernelKnows looks in /proc/filesystems, and for a module not loaded yet among the files
// of modules.
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
