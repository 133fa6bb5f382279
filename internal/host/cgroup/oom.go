package cgroup

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/text/words"
)

// OutOfMemory describes the kernel's kills in a group for want of memory.
type OutOfMemory struct {
	Processes int    // as the group counts them
	Task      string // one of them by its name, as the kernel's log has it; empty where that cannot be read
	// Reached is the group whose limit was reached, as the log names it; "/" is the
	// machine's memory, and empty is not known.
	Reached string
	Own     bool // that is the group itself
}

// OutOfMemory reports the kernel's kills in the group, and from the kernel's log whose
// limit was reached: the group itself cannot distinguish its own limit from one above it.
// The kernel logs the reasons of ten kills in five seconds at most.
func (g *Group) OutOfMemory() OutOfMemory {
	dir, events := g.directories["memory"], "memory.oom_control"
	if g.version == V2 {
		dir, events = g.directories[""], "memory.events"
	}
	o := OutOfMemory{Processes: readCounter(filepath.Join(dir, events), "oom_kill")}
	if o.Processes > 0 {
		o.explain(dir, kernelLog())
	}
	return o
}

// oomLine matches the kernel's log of a kill since version 4.19 (dump_oom_victim in
// mm/oom_kill.c): the limit that was reached, the group and the name of the process. It is
// written in four parts, which are separate records where something else was logged in
// between.
var oomLine = regexp.MustCompile(`oom-kill:constraint=(\w+),.*?(?:oom_memcg=([^,]*)|global_oom),task_memcg=([^,]*),task=(.*),pid=(\d+),uid=\d+`)

// explain takes the last kill in a group, or below it, from the log.
func (o *OutOfMemory) explain(dir, log string) {
	own := "/" + filepath.Base(dir)
	if i := strings.Index(dir, "/plimsoll-"); i >= 0 { // groups of several runs may have one name
		own = dir[i:]
	}
	for k := range kills(log) {
		if strings.Contains(k.group+"/", own+"/") {
			o.Task, o.Reached, o.Own = k.task, k.reached, strings.HasSuffix(k.reached, own)
		}
	}
}

// kill is the log's account of one killed process.
type kill struct{ reached, group, task, pid string }

// kills yields the kills in a log of records in the format of /dev/kmsg, oldest first. The
// fields before the first semicolon end with flags. The flag c marks text that continues an
// earlier record (Documentation/ABI/testing/dev-kmsg).
func kills(log string) iter.Seq[kill] {
	return func(yield func(kill) bool) {
		begun := ""
		for line := range strings.Lines(log) {
			head, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ";")
			fields := strings.Split(head, ",")
			switch {
			case strings.HasPrefix(text, "oom-kill:"):
				begun = text
			case begun != "" && len(fields) > 3 && fields[3] == "c":
				begun += text
			default:
				continue
			}
			if m := oomLine.FindStringSubmatch(begun); m != nil {
				if !yield(kill{reached: cmp.Or(m[2], "/"), group: m[3], task: m[4], pid: m[5]}) {
					return
				}
				begun = ""
			}
		}
	}
}

// KilledFor reports whether the kernel's log has the end of a process for want of memory.
func KilledFor(pid int) (o OutOfMemory, found bool) { return killedIn(kernelLog(), pid) }

func killedIn(log string, pid int) (o OutOfMemory, found bool) {
	for k := range kills(log) {
		if k.pid == strconv.Itoa(pid) {
			o, found = OutOfMemory{Processes: 1, Task: k.task, Reached: k.reached}, true
		}
	}
	return o, found
}

// kernelLog returns the kernel's current log, empty where it cannot be read.
func kernelLog() string {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	f := os.NewFile(uintptr(fd), "/dev/kmsg")
	defer f.Close()
	var log strings.Builder
	for record := make([]byte, 8<<10); ; {
		n, err := unix.Read(fd, record)
		switch {
		case err == unix.EPIPE || err == unix.EINTR: // EPIPE: it was overwritten, and reading goes on with the next
		case err != nil || n <= 0:
			return log.String()
		default:
			log.Write(record[:n])
		}
	}
}

// Says is a sentence about the owner of the group: the killed processes, and the reason, as
// far as it is known. The limit of the group itself is in bytes, 0 for none.
func (o OutOfMemory) Says(name string, limit int64) string {
	ended := fmt.Sprintf("the kernel ended %s of it", words.CountOf(o.Processes, "process", "processes"))
	if o.Task != "" {
		ended += " (" + o.Task + ")"
	}
	switch {
	case o.Own && limit > 0:
		return fmt.Sprintf("%s reached its memory limit of %d MiB, and %s: give it more memory", name, limit>>20, ended)
	case o.Reached == "/":
		return fmt.Sprintf("the machine had no memory left for %s, and %s", name, ended)
	case o.Reached != "":
		return fmt.Sprintf("%s is in control group %s, which reached its memory limit, and %s: give that group more memory, or have less in it", name, o.Reached, ended)
	}
	return fmt.Sprintf("%s was short of memory, and %s: whose limit that was stands in the kernel's log, where it can be read", name, ended)
}
