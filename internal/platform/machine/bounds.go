package machine

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// UsableCores is how many cores' worth of time this process may use: the cores of its
// cpuset, or less if a control group above it has a CPU quota.
func UsableCores() float64 { return usableCores(cgroup.Bounds()) }

func usableCores(bounds []cgroup.Bound) float64 {
	cores := float64(Cores())
	if quota, found := cgroup.Tightest(bounds, cgroup.CPU); found {
		cores = min(cores, quota.Limit)
	}
	return cores
}

// Contained reports whether a control group over this process limits its
// CPU or memory. A limit of tasks says little: every service has one.
func Contained() bool {
	bounds := cgroup.Bounds()
	_, cpu := cgroup.Tightest(bounds, cgroup.CPU)
	_, memory := cgroup.Tightest(bounds, cgroup.Memory)
	return cpu || memory
}

// UsableMemory is the memory in bytes that can be had without swapping, of the
// machine and of the control groups over this process; false when it is not known.
func UsableMemory() (bytes int64, known bool) { return usableMemory(cgroup.Bounds()) }

func usableMemory(bounds []cgroup.Bound) (bytes int64, known bool) {
	available := AvailableMemory() // a machine on which this runs has some
	limit, found := cgroup.Tightest(bounds, cgroup.Memory)
	if left := int64(limit.Left()); found && (left < available || available == 0) {
		return max(0, left), true
	}
	return available, available > 0
}

// UsableTasks is how many more processes and threads can be started: by the control
// groups over this process, the kernel and, for a plain user, the user's limit; false
// when it is not known.
func UsableTasks() (n int64, known bool) { return usableTasks(cgroup.Bounds()) }

func usableTasks(bounds []cgroup.Bound) (n int64, known bool) {
	left := math.Inf(1)
	if limit, found := cgroup.Tightest(bounds, cgroup.Tasks); found {
		left = limit.Left()
	}
	running := float64(tasks())
	for _, path := range []string{"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"} {
		if most, err := strconv.ParseFloat(textOf(path), 64); err == nil {
			left = min(left, most-running)
		}
	}
	var user unix.Rlimit
	if os.Geteuid() != 0 && unix.Getrlimit(unix.RLIMIT_NPROC, &user) == nil {
		left = min(left, float64(user.Cur))
	}
	if math.IsInf(left, 1) {
		return 0, false
	}
	return max(0, int64(left)), true
}

// tasks is how many there are on the machine (proc(5), the fourth field of
// /proc/loadavg); 0 when it is not known.
func tasks() int64 {
	fields := strings.Fields(textOf("/proc/loadavg"))
	if len(fields) < 4 {
		return 0
	}
	_, all, _ := strings.Cut(fields[3], "/")
	n, _ := strconv.ParseInt(all, 10, 64) // the kernel writes numbers
	return n
}

// OpenFiles is how many files and connections a process that this one starts may
// have open; false when it is not known.
func OpenFiles() (n int64, known bool) {
	_, hard := openFiles() // a program that may have none open does not run
	return int64(min(hard, math.MaxInt64)), hard > 0
}

// Limits are the limits of the control groups above this process.
func Limits() []result.Limit { return limitsOf(cgroup.Bounds()) }

// LimitTexts say how much of this machine's CPU and memory the control groups over
// this process leave to it.
func LimitTexts() (texts []string) {
	bounds := cgroup.Bounds()
	if quota, found := cgroup.Tightest(bounds, cgroup.CPU); found {
		texts = append(texts, fmt.Sprintf("%s of %s can be used: CPU quota of %s", words.Exact(usableCores(bounds)), words.Count(installedCores(), "core"), groupText(quota)))
	}
	if limit, found := cgroup.Tightest(bounds, cgroup.Memory); found {
		texts = append(texts, fmt.Sprintf("%s of %s of memory can be used: memory limit of %s", words.Binary(int64(limit.Limit)), words.Binary(Memory()), groupText(limit)))
	}
	return texts
}

func limitsOf(bounds []cgroup.Bound) (all []result.Limit) {
	for _, b := range bounds {
		all = append(all, result.Limit{Of: string(b.Of), Group: b.Group, Value: b.Limit})
	}
	return all
}

// installedCores is the number of the machine's cores, whoever may use them.
func installedCores() int {
	n := 0
	for line := range strings.Lines(textOf("/proc/stat")) {
		if rest, is := strings.CutPrefix(line, "cpu"); is && rest[0] >= '0' && rest[0] <= '9' {
			n++
		}
	}
	return max(n, Cores())
}

// cpu says how much of the machine's processors can be used.
func (g general) cpu() doctor.Check {
	all, usable := installedCores(), usableCores(g.bounds)
	c := doctor.Check{
		Name: "cpu", Status: doctor.OK, Found: words.Count(all, "core"),
		Means: "no trial can use more, and the load, which runs here too, takes its part: where the limit is the bottleneck, reports say so",
		Fix:   "start Plimsoll without the limit: docker run --cpus and --cpuset-cpus, resources.limits.cpu of a pod, CPUQuota= and AllowedCPUs= of a service",
	}
	if usable >= float64(all) {
		return c
	}
	c.Status = doctor.Warn
	c.Found = fmt.Sprintf("%s of %s", words.Exact(usable), words.Count(all, "core"))
	if quota, found := cgroup.Tightest(g.bounds, cgroup.CPU); found && quota.Limit <= float64(Cores()) {
		c.Found += ": CPU quota of " + groupText(quota)
	} else {
		c.Found += ": no others are in the cpuset of this process"
	}
	return c
}

// processes says how many can be started.
func (g general) processes() doctor.Check {
	left, known := usableTasks(g.bounds)
	if !known {
		return doctor.Check{Name: "processes", Status: doctor.OK, Found: "no limit of processes and threads is known"}
	}
	c := doctor.Check{
		Name: "processes", Status: doctor.Wanted(left >= tasksGood, doctor.Warn),
		Found: fmt.Sprintf("%d more processes and threads can be started", left),
		Means: "servers with many users and large ladders may not be able to start; plimsoll plan compares",
		Fix:   "raise the limit: docker run --pids-limit, TasksMax= of a service, ulimit -u, sysctl kernel.pid_max",
	}
	if limit, found := cgroup.Tightest(g.bounds, cgroup.Tasks); found {
		c.Found += fmt.Sprintf("; the limit of %s is %.0f", groupText(limit), limit.Limit)
	}
	return c
}

// tasksGood is enough for 16 instances of a server with a process for each of 64
// users.
const tasksGood = 1024

// groupText is how a control group is called.
func groupText(b cgroup.Bound) string {
	if b.Group == "/" {
		return "this container"
	}
	return "control group " + filepath.Clean(b.Group)
}
