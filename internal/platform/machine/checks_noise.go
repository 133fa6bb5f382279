package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/text/words"
)

// The checks here look for what makes measurements noisy.

// filesGood is enough for 128 instances of fifteen processes under telemetry
// and a driver with 1,024 users.
const filesGood = 16384

func (g general) openFiles() doctor.Check {
	_, hard := openFiles()
	return doctor.Check{
		Name: "open files", Status: doctor.Wanted(hard >= filesGood, doctor.Warn),
		Found: "at most " + strconv.FormatUint(hard, 10),
		Means: "drivers with many users and servers with many tables may reach the limit",
		Fix:   "ulimit -Hn " + strconv.Itoa(filesGood) + "   (as root, or in /etc/security/limits.conf)",
	}
}

func (g general) swap() doctor.Check {
	m := meminfo()
	used := m["SwapTotal"] - m["SwapFree"]
	c := doctor.Check{
		Name: "swap", Status: doctor.Wanted(used < 64<<20, doctor.Warn), Found: "none",
		Means: "response times may show the swap device instead of the storage under test",
		Fix:   "swapoff -a",
	}
	if m["SwapTotal"] > 0 {
		c.Found = fmt.Sprintf("%s, of which %s in use", words.Binary(m["SwapTotal"]), words.Binary(used))
	}
	return c
}

// stealMost is the share of stolen time from which on results are noisy.
const stealMost = 0.01

func (g general) steal() doctor.Check {
	share := stealShare(textOf("/proc/stat"))
	return doctor.Check{
		Name: "stolen time", Status: doctor.Wanted(share < stealMost, doctor.Warn),
		Found: strconv.FormatFloat(share*100, 'f', 2, 64) + " % of the CPU time since boot went to other virtual machines",
		Means: "other virtual machines on this host disturb the measurements; affected trials get a lower grade",
		Fix:   "use a machine with dedicated cores",
	}
}

// stealShare is stolen time as a share of all CPU time that was not idle, or
// that would have been used (proc(5), the cpu line of /proc/stat).
func stealShare(stat string) float64 {
	first, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(first)
	if len(fields) < 9 {
		return 0
	}
	const steal = 8
	total, stolen := 0.0, 0.0
	for i, f := range fields[1:9] {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return 0
		}
		total += v
		if i+1 == steal {
			stolen = v
		}
	}
	if total == 0 {
		return 0
	}
	return stolen / total
}

func (g general) clock() doctor.Check {
	source := textOf("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	slow := slices.Contains([]string{"hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen"}, source)
	c := doctor.Check{
		Name: "clock source", Status: doctor.Wanted(!slow, doctor.Warn), Found: source,
		Means: "reading the time needs a slow system call, which costs drivers and databases CPU",
		Fix:   "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource   (if available_clocksource lists it)",
	}
	if source == "" {
		c.Found = "not reported by the kernel"
	}
	return c
}

func (general) governor() doctor.Check {
	set := textOf("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	c := doctor.Check{
		Name: "CPU frequency", Status: doctor.Wanted(set == "" || set == "performance", doctor.Warn), Found: "governor " + set,
		Means: "the frequency changes with the load: trials with few instances look slower than they should",
		Fix:   "cpupower frequency-set -g performance",
	}
	if set == "" {
		c.Found = "not set by this kernel"
	}
	return c
}

func (g general) pressure() doctor.Check {
	ok := textOf("/proc/pressure/io") != ""
	c := doctor.Check{
		Name: "pressure stall information", Status: doctor.Wanted(ok, doctor.Warn), Found: "/proc/pressure is readable",
		Means: "reports cannot show how long tasks waited for CPU, memory and I/O",
		Fix:   "boot with psi=1 on the kernel's command line",
	}
	if !ok {
		c.Found = "not supported by this kernel"
	}
	return c
}
