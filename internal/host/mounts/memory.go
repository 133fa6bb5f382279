package mounts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mostLayers bounds how deep file systems and devices are followed.
const mostLayers = 16

// InMemory reports whether no medium is below the file system, whatever layers are in
// between: the file system itself is in memory, or its writes go to a layer in memory, or
// to block devices that are all in memory. If a layer cannot be followed, for instance
// because it was mounted in another mount namespace, the answer is no.
func (m Mount) InMemory() bool { return m.inMemory(mostLayers) }

func (m Mount) inMemory(layers int) bool {
	switch {
	case layers == 0:
		return false
	case m.Type == "tmpfs" || m.Type == "ramfs":
		return true
	case m.Type == "overlay":
		return pathInMemory(m.upper(), layers-1)
	}
	sys, ok := m.device()
	return ok && deviceInMemory(sys, layers-1)
}

// upper is the directory that receives an overlay's writes; empty where there is none or it
// is not known (kernel documentation, "Overlay Filesystem").
func (m Mount) upper() string {
	for _, option := range m.Options {
		if dir, ok := strings.CutPrefix(option, "upperdir="); ok {
			return Unescape(dir)
		}
	}
	return ""
}

func pathInMemory(path string, layers int) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	below, err := Find(path)
	return err == nil && below.inMemory(layers)
}

// madeOfMemory are block devices of the kernel that keep their contents in memory, or
// nowhere: compressed, as they are, and null_blk.
var madeOfMemory = regexp.MustCompile(`^(zram|ram|nullb)[0-9]+$`)

// deviceInMemory follows a block device, by its directory below /sys/devices, to the file
// that it is made of, or to the devices.
func deviceInMemory(sys string, layers int) bool {
	if layers == 0 {
		return false
	}
	sys = wholeDisk(sys)
	if madeOfMemory.MatchString(filepath.Base(sys)) || content(sys, "device/model") == "scsi_debug" {
		return true
	}
	if file := content(sys, "loop/backing_file"); file != "" {
		return pathInMemory(file, layers-1)
	}
	below := slaves(sys)
	return len(below) > 0 && !slices.ContainsFunc(below, func(s string) bool { return !deviceInMemory(s, layers-1) })
}

func content(sys, name string) string {
	text, _ := os.ReadFile(filepath.Join(sys, name)) // most devices have none
	return strings.TrimSpace(string(text))
}
