package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/study"
)

// doctor runs the checks.
type doctor struct {
	ctx context.Context
	o   DoctorOptions
}

func (d doctor) all() []Check {
	checks := []Check{
		d.system(), d.postgres(), d.mariadb(),
		d.workDirectory(), d.diskSpace(), d.reflink(), d.memory(), d.sharedMemory(),
		d.root(), d.cgroups(), d.fuse(), d.loopDevices(), d.fileSystemTools(), d.namespaces(), d.gluster(), d.ganesha(),
		d.openFiles(), d.swap(), d.steal(), d.clock(), d.governor(), d.pressure(),
	}
	for i := range checks {
		if checks[i].Status == OK {
			checks[i].Means, checks[i].Fix = "", ""
		}
	}
	return checks
}

// install is the command that installs a package; Debian's name first, then
// Fedora's.
func install(debian, fedora string) string {
	switch {
	case lookup("apt-get") != "":
		return "apt-get install " + debian
	case lookup("dnf") != "":
		return "dnf install " + fedora
	}
	return "install the package " + debian + " with this system's package manager"
}

func okOr(ok bool, otherwise Status) Status {
	if ok {
		return OK
	}
	return otherwise
}

func (d doctor) system() Check {
	ok := runtime.GOOS == "linux" && exists("/proc/self/stat")
	return Check{
		Name: "system", Status: okOr(ok, Fail),
		Found: strings.Join([]string{osName(), "kernel " + kernel(), runtime.GOARCH}, ", "),
		Means: "Plimsoll needs Linux with /proc to run instances and read telemetry",
		Fix:   "run it on Linux, with /proc mounted",
	}
}

func (d doctor) postgres() Check {
	c := Check{Name: "PostgreSQL", Status: OK}
	if v := programNamed("postgres").versions(d.ctx); v != "" {
		c.Found = "installed: " + v
		return c
	}
	c.Fix = install("postgresql", "postgresql-server")
	if !slices.Contains([]string{"amd64", "arm64", "386", "ppc64le"}, runtime.GOARCH) {
		c.Status, c.Found = Fail, "not installed, and no embedded build exists for "+runtime.GOARCH
		c.Means = "studies on PostgreSQL, including the quickstart, cannot run"
		return c
	}
	c.Status, c.Found = Warn, "not installed; an embedded build is downloaded when a study first needs it"
	c.Means = "the first run on PostgreSQL needs network access"
	return c
}

func (d doctor) mariadb() Check {
	v := programNamed("mariadbd").versions(d.ctx)
	c := Check{Name: "MariaDB", Status: okOr(v != "", Warn), Found: "installed: " + v}
	if v == "" {
		c.Found = "not installed"
		c.Means = "studies on MariaDB have to download it first, if they can run at all"
		c.Fix = install("mariadb-server-core", "mariadb-server")
	}
	return c
}

func programNamed(name string) program {
	all := knownPrograms()
	return all[slices.IndexFunc(all, func(p program) bool { return p.name == name })]
}

// place is the work directory, or the nearest one above it that exists.
func (d doctor) place() string {
	dir := d.o.Work
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

func (d doctor) workDirectory() Check {
	dir := d.place()
	c := Check{
		Name: "work directory", Status: OK, Found: dir + " on " + fileSystemOf(dir),
		Means: "there is nowhere to put volumes",
		Fix:   "choose a writable directory: --work DIR",
	}
	if err := tryWrite(dir); err != nil {
		c.Status, c.Found = Fail, "cannot be written to: "+err.Error()
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

// fileSystemOf names the type of the file system that a path lies on.
func fileSystemOf(path string) string {
	best, kind := "", "unknown file system"
	for _, line := range strings.Split(textOf("/proc/self/mounts"), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		mount := unescape(fields[1])
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
	shmGood     = 1 << 30
)

func sized(have, least, good int64) Status {
	switch {
	case have < least:
		return Fail
	case have < good:
		return Warn
	}
	return OK
}

func bytesText(n int64) string { return strconv.FormatFloat(float64(n)/(1<<30), 'f', 1, 64) + " GiB" }

func (d doctor) diskSpace() Check {
	_, free := space(d.place())
	return Check{
		Name: "disk space", Status: sized(free, diskLeast, diskGood),
		Found: bytesText(free) + " free below " + d.place(),
		Means: fmt.Sprintf("the quickstart needs %s; large ladders need %s and more", study.Bytes(diskLeast), study.Bytes(diskGood)),
		Fix:   "free some space, or choose another place: --work DIR",
	}
}

func (d doctor) reflink() Check {
	c := Check{
		Name: "reflinks", Found: "volume clones share blocks below " + d.place(),
		Means: "every instance gets a full copy of the data: this takes more time and space, but does not change the results",
		Fix:   "put the work directory on XFS or Btrfs: --work DIR",
	}
	if err := tryReflink(d.place()); err != nil {
		c.Status, c.Found = Warn, fmt.Sprintf("not on %s (%s): %v", fileSystemOf(d.place()), d.place(), err)
		return c
	}
	c.Status = OK
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

func (d doctor) memory() Check {
	m := meminfo()
	return Check{
		Name: "memory", Status: sized(m["MemAvailable"], memoryLeast, memoryGood),
		Found: fmt.Sprintf("%s available of %s", bytesText(m["MemAvailable"]), bytesText(m["MemTotal"])),
		Means: "only a few instances fit; plimsoll plan shows how many",
		Fix:   "end other programs, or use a larger machine",
	}
}

func (d doctor) sharedMemory() Check {
	_, free := space("/dev/shm")
	return Check{
		Name: "tmpfs", Status: okOr(free >= shmGood, Warn),
		Found: bytesText(free) + " free in /dev/shm",
		Means: "volumes in memory, which the quickstart uses when it does not run as root, may not fit",
		Fix:   "mount -o remount,size=4G /dev/shm   (in a container: --shm-size=4g)",
	}
}
