package apptest

import (
	"io/fs"
	"syscall"
)

// allocated is what a file takes on disk; a hole takes nothing.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512 // stat(2): blocks of 512 bytes whatever the file system's are
	}
	return info.Size()
}
