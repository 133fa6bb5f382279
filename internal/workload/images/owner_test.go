package images

import (
	"os"
	"syscall"
)

// ownAs gives a file the owner of another, where that is possible.
func ownAs(path, as string) error {
	info, err := os.Stat(as)
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	s := info.Sys().(*syscall.Stat_t)
	return os.Chown(path, int(s.Uid), int(s.Gid))
}
