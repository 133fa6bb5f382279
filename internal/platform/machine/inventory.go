package machine

import (
	"context"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/result"
)

// Inventory describes this machine, with the programs that the checkers name.
// What cannot be found out is left empty. Plimsoll's own version is left to the
// caller.
func Inventory(ctx context.Context, checkers []doctor.Checker) result.Machine {
	var programs []doctor.Program
	for _, c := range checkers {
		programs = append(programs, c.Programs()...)
	}
	hostname, _ := os.Hostname() // if it fails, an empty name is recorded
	return result.Machine{
		Hostname:     hostname,
		OS:           osName(),
		Kernel:       kernel(),
		Arch:         runtime.GOARCH,
		CPUModel:     cpuModel(),
		Cores:        Cores(),
		Installed:    installedCores(),
		MemoryBytes:  Memory(),
		Limits:       Limits(),
		Virtual:      virtualisation(),
		Cgroup:       cgroupVersion(),
		Root:         os.Geteuid() == 0,
		Disks:        disks(),
		FileSystems:  fileSystems(),
		Programs:     doctor.Versions(ctx, programs),
		ClockSource:  textOf("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		Governor:     textOf("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		SystemLimits: systemLimits(),
	}
}

// textOf is the trimmed contents of a small file, empty when it cannot be
// read.
func textOf(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func osName() string {
	for _, line := range strings.Split(textOf("/etc/os-release"), "\n") {
		if value, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return runtime.GOOS
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// cpuModel is the first processor's name; keys differ between architectures.
func cpuModel() string {
	for _, key := range []string{"model name", "Model", "cpu model", "Hardware"} {
		for _, line := range strings.Split(textOf("/proc/cpuinfo"), "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}
