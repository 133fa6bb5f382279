package directory

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/text/unit"
)

// The caches of the kernel that a directory may be asked to be on.
const (
	dmCache = "dm-cache"
	bcache  = "bcache"
)

// tier is a cache of the kernel below a file system.
type tier struct {
	kind string // dm-cache, bcache
	on   string // the device that it makes: dm-3, bcache0
	mode string // writeback, writethrough, ...
	more string // what else its kind says, for people
}

func (t tier) String() string { return fmt.Sprintf("%s %s (%s%s)", t.kind, t.on, t.mode, t.more) }

// kernel is where tiers are looked for.
type kernel struct {
	sys    string                              // /sys/block
	status func(device string) (string, error) // dmsetup status of /dev/dm-3
}

func thisKernel() kernel {
	return kernel{sys: "/sys/block", status: func(device string) (string, error) {
		out, err := exec.Command("dmsetup", "status", "/dev/"+device).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("dmsetup status /dev/%s: %w: %s", device, err, strings.TrimSpace(string(out)))
		}
		return string(out), nil
	}}
}

// tierOf finds the uppermost cache among the devices below a mount, nil when there is none.
// The error names the devices that could not be examined.
func (k kernel) tierOf(devices []string) (*tier, error) {
	for _, name := range devices {
		if text, err := os.ReadFile(filepath.Join(k.sys, name, "bcache/cache_mode")); err == nil {
			return k.bcache(name, string(text)), nil
		}
		if !strings.HasPrefix(name, "dm-") {
			continue
		}
		text, err := k.status(name)
		if err != nil {
			return nil, err
		}
		if t := parseDMCache(name, text); t != nil {
			return t, nil
		}
	}
	return nil, nil
}

// bcache reads the mode in force, which is in brackets: "writethrough [writeback]
// writearound none" (kernel documentation, admin-guide/bcache).
func (k kernel) bcache(name, modes string) *tier {
	_, rest, _ := strings.Cut(modes, "[")
	mode, _, _ := strings.Cut(rest, "]")
	t := &tier{kind: bcache, on: name, mode: mode}
	if dirty, err := os.ReadFile(filepath.Join(k.sys, name, "bcache/dirty_data")); err == nil {
		t.more = ", " + strings.TrimSpace(string(dirty)) + " dirty"
	}
	return t
}

// parseDMCache reads the status of a cache target (kernel documentation,
// admin-guide/device-mapper/cache): start, length, "cache", metadata block size and
// use, cache block size in sectors and use, four counts of hits and misses,
// demotions, promotions, dirty blocks, features with their number, core arguments with
// theirs, policy. It gives nil for another target.
func parseDMCache(name, status string) *tier {
	f := strings.Fields(status)
	if len(f) < 15 || f[2] != "cache" {
		return nil
	}
	t := &tier{kind: dmCache, on: name, mode: "writeback"}
	features, rest := counted(f[14:])
	for _, word := range features {
		if word == "writethrough" || word == "passthrough" || word == "writeback" {
			t.mode = word
		}
	}
	if _, rest = counted(rest); len(rest) > 0 {
		t.more = ", policy " + rest[0]
	}
	sectors, _ := strconv.ParseInt(f[5], 10, 64)
	_, total, _ := strings.Cut(f[6], "/")
	if blocks, err := strconv.ParseInt(total, 10, 64); err == nil {
		t.more += ", " + unit.Bytes(blocks*sectors*512).String()
	}
	return t
}

// counted takes a number and as many words from a list.
func counted(words []string) (these, rest []string) {
	if len(words) == 0 {
		return nil, nil
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 0 || n >= len(words) {
		return nil, words[1:]
	}
	return words[1 : 1+n], words[1+n:]
}

// howToTier has the commands that install each missing part.
var howToTier = map[string]string{
	dmCache: "make one and put the file system on it: modprobe dm-cache; lvconvert --type cache --cachevol FAST VG/SLOW (packages lvm2 and thin-provisioning-tools)",
	bcache:  "make one and put the file system on it: modprobe bcache; make-bcache -B SLOW -C FAST (package bcache-tools)",
}

// needsTier returns an error if a directory is not on the cache that the study asks for.
func (k kernel) needsTier(kind string, m mounts.Mount) error {
	devices := m.Devices()
	t, err := k.tierOf(devices)
	switch {
	case err != nil:
		return fmt.Errorf("look for %s below %s: %w; %s", kind, m.Point, err, howToTier[kind])
	case t == nil && len(devices) == 0:
		return fmt.Errorf("%s lies on %s, below which there is no block device and so no %s; %s", m.Point, m.Type, kind, howToTier[kind])
	case t == nil:
		return fmt.Errorf("none of the devices below %s (%s) is a %s; %s", m.Point, strings.Join(devices, ", "), kind, howToTier[kind])
	case t.kind != kind:
		return fmt.Errorf("%s lies on %s, not on %s; set `tier: %s`, or %s", m.Point, t, kind, t.kind, howToTier[kind])
	}
	return nil
}
