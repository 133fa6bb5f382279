package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

// general runs the checks that concern every study.
type general struct {
	o      DoctorOptions
	bounds []cgroup.Bound
}

func (g general) before() []doctor.Check {
	return []doctor.Check{g.system(), g.workDirectory(), g.diskSpace(), g.reflink(), g.cpu(), g.memory(), g.root()}
}

func (g general) after() []doctor.Check {
	return []doctor.Check{g.openFiles(), g.processes(), g.swap(), g.steal(), g.clock(), g.governor(), g.pressure()}
}

func (g general) system() doctor.Check {
	ok := runtime.GOOS == "linux" && exists("/proc/self/stat")
	return doctor.Check{
		Name: "system", Status: doctor.Wanted(ok, doctor.Fail),
		Found: strings.Join([]string{osName(), "kernel " + kernel(), runtime.GOARCH}, ", "),
		Means: "Plimsoll needs Linux with /proc to run instances and read telemetry",
		Fix:   "run it on Linux, with /proc mounted",
	}
}

// place is the work directory, or the nearest one above it that exists.
func (g general) place() string {
	dir := g.o.Work
	if dir == "" {
		dir = os.TempDir()
	}
	return nearest(dir)
}

// nearest is a directory, or what exists nearest above it.
func nearest(dir string) string {
	for !exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// Writable says why nothing can be written to a directory, or to the nearest
// above it that exists.
func Writable(dir string) error { return tryWrite(nearest(dir)) }

func (g general) workDirectory() doctor.Check {
	dir := g.place()
	c := doctor.Check{
		Name: "work directory", Status: doctor.OK, Found: dir + " on " + fileSystemOf(dir),
		Means: "there is nowhere to put volumes",
		Fix:   "choose a writable directory: --work DIR",
	}
	if err := tryWrite(dir); err != nil {
		c.Status, c.Found = doctor.Fail, "cannot be written to: "+err.Error()
	} else if err := safefile.Prove(dir); err != nil {
		c.Status, c.Found = doctor.Fail, "is not safe: "+err.Error()
	}
	return c
}

// tryWrite makes a file and removes it: root may, as far as permissions go,
// write to places that take no files.
func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".plimsoll-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// fileSystemOf names the type of the file system of a path.
func fileSystemOf(path string) string {
	best, kind := "", "unknown file system"
	for _, line := range strings.Split(textOf("/proc/self/mounts"), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		mount := mounts.Unescape(fields[1])
		if below(path, mount) && len(mount) >= len(best) {
			best, kind = mount, fields[2]
		}
	}
	return kind
}

func below(path, dir string) bool {
	return dir == "/" || path == dir || strings.HasPrefix(path, dir+"/")
}

// Sizes that checks compare with: the quickstart needs the smaller one, the
// shipped laptop profiles the larger.
const (
	diskLeast   = 2 << 30
	diskGood    = 20 << 30
	memoryLeast = 1 << 30
	memoryGood  = 4 << 30
)

func sized(have, least, good int64) doctor.Status {
	switch {
	case have < least:
		return doctor.Fail
	case have < good:
		return doctor.Warn
	}
	return doctor.OK
}

func (g general) diskSpace() doctor.Check {
	_, free := space(g.place())
	return doctor.Check{
		Name: "disk space", Status: sized(free, diskLeast, diskGood),
		Found: words.Binary(free) + " free below " + g.place(),
		Means: fmt.Sprintf("the quickstart needs %s; large ladders need %s and more", unit.Bytes(diskLeast), unit.Bytes(diskGood)),
		Fix:   "free some space, or choose another place: --work DIR",
	}
}

func (g general) reflink() doctor.Check {
	c := doctor.Check{
		Name: "reflinks", Found: "volume clones share blocks below " + g.place(),
		Means: "every instance gets a full copy of the data: this takes more time and space, but does not change the results",
		Fix:   "put the work directory on XFS or Btrfs: --work DIR",
	}
	if err := tryReflink(g.place()); err != nil {
		c.Status, c.Found = doctor.Warn, fmt.Sprintf("not on %s (%s): %v", fileSystemOf(g.place()), g.place(), err)
		return c
	}
	c.Status = doctor.OK
	return c
}

// tryReflink clones a small file, because file systems do not tell whether
// they were made with reflinks.
func tryReflink(dir string) error {
	from, err := os.CreateTemp(dir, ".plimsoll-doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(from.Name())
	defer from.Close()
	if _, err := from.Write(make([]byte, 4096)); err != nil {
		return err
	}
	to, err := os.CreateTemp(dir, ".plimsoll-doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(to.Name())
	defer to.Close()
	return unix.IoctlFileClone(int(to.Fd()), int(from.Fd()))
}

func (g general) memory() doctor.Check {
	available, known := usableMemory(g.bounds)
	if !known {
		return doctor.Check{Name: "memory", Status: doctor.Warn, Found: "/proc/meminfo does not say how much is available", Means: "plans do not check whether instances fit"}
	}
	c := doctor.Check{
		Name: "memory", Status: sized(available, memoryLeast, memoryGood),
		Found: fmt.Sprintf("%s available of %s", words.Binary(available), words.Binary(Memory())),
		Means: "only a few instances fit; plimsoll plan shows how many",
		Fix:   "end other programs, or use a larger machine",
	}
	if limit, found := cgroup.Tightest(g.bounds, cgroup.Memory); found && available < AvailableMemory() {
		c.Found = fmt.Sprintf("%s available of %s: memory limit of %s; the machine has %s",
			words.Binary(available), words.Binary(int64(limit.Limit)), groupText(limit), words.Binary(Memory()))
		c.Fix = "raise the limit: docker run --memory, resources.limits.memory of a pod, MemoryMax= of a service"
	}
	return c
}
