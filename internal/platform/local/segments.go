package local

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// removeSegments removes the System V shared memory that a killed server
// leaves in the kernel. With an IPC namespace of its own it is gone already.
func (p *process) removeSegments() error {
	if p.local.ipc {
		return nil
	}
	table, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		return nil // a kernel without it has none
	}
	makers := p.makers()
	var errs []error
	for _, s := range segments(string(table)) {
		if s.attached > 0 || s.uid != os.Geteuid() || s.made < p.started.Unix() || !slices.Contains(makers, s.maker) {
			continue
		}
		if _, err := unix.SysvShmCtl(s.id, unix.IPC_RMID, nil); err != nil && !errors.Is(err, unix.EINVAL) {
			errs = append(errs, fmt.Errorf("remove shared memory segment %d: %w; run: ipcrm -m %d", s.id, err, s.id))
		}
	}
	return errors.Join(errs...)
}

// segment is a line of /proc/sysvipc/shm (proc(5)).
type segment struct {
	id, maker, attached, uid int
	made                     int64 // or last changed, in seconds since 1970
}

func segments(table string) []segment {
	var all []segment
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 14 || f[0] == "key" {
			continue
		}
		n := make([]int64, len(f))
		for i := range f {
			n[i], _ = strconv.ParseInt(f[i], 10, 64) // the kernel writes numbers
		}
		all = append(all, segment{id: int(n[1]), maker: int(n[4]), attached: int(n[6]), uid: int(n[7]), made: n[13]})
	}
	return all
}
