package nfs

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// setns moves the thread into a network namespace.
func setns(target *os.File) error {
	defer target.Close()
	return unix.Setns(int(target.Fd()), unix.CLONE_NEWNET)
}

// aligned is a block as direct I/O wants it.
func aligned(size int) []byte {
	const page = 4096
	b := make([]byte, size+page)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	return b[skip : skip+size]
}
