package machine

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// systemLimits are settings of the kernel and the shell that bear on results.
func systemLimits() map[string]string {
	limits := map[string]string{}
	for name, path := range map[string]string{
		"dirty_ratio":              "/proc/sys/vm/dirty_ratio",
		"dirty_background_ratio":   "/proc/sys/vm/dirty_background_ratio",
		"swappiness":               "/proc/sys/vm/swappiness",
		"overcommit_memory":        "/proc/sys/vm/overcommit_memory",
		"transparent_huge_pages":   "/sys/kernel/mm/transparent_hugepage/enabled",
		"aio_max_nr":               "/proc/sys/fs/aio-max-nr",
		"threads_max":              "/proc/sys/kernel/threads-max",
		"pid_max":                  "/proc/sys/kernel/pid_max",
		"somaxconn":                "/proc/sys/net/core/somaxconn",
		"shmmni":                   "/proc/sys/kernel/shmmni",
		"sem":                      "/proc/sys/kernel/sem",
		"mitigations_of_meltdown":  "/sys/devices/system/cpu/vulnerabilities/meltdown",
		"simultaneous_multithread": "/sys/devices/system/cpu/smt/active",
	} {
		if text := textOf(path); text != "" {
			limits[name] = chosen(text)
		}
	}
	soft, hard := openFiles()
	limits["open_files"] = strconv.FormatUint(soft, 10)
	limits["open_files_hard"] = strconv.FormatUint(hard, 10)
	return limits
}

// openFiles gives the limits of open files of this process.
func openFiles() (soft, hard uint64) {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return 0, 0
	}
	return l.Cur, l.Max
}
