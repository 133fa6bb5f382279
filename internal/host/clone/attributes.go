package clone

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// ofUsers is the namespace of extended attributes that are part of the data: object stores
// keep the metadata of buckets and objects there. Other namespaces belong to the system.
const ofUsers = "user."

// copyAttributes copies to dst the extended attributes of src, which is no symbolic link. File
// systems that have none have nothing to copy.
func copyAttributes(src, dst string) error {
	names, err := attribute(func(into []byte) (int, error) { return unix.Listxattr(src, into) })
	if errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the extended attributes of %s: %w", src, err)
	}
	for name := range bytes.SplitSeq(names, []byte{0}) {
		key := string(name)
		if !strings.HasPrefix(key, ofUsers) {
			continue
		}
		value, err := attribute(func(into []byte) (int, error) { return unix.Getxattr(src, key, into) })
		if err == nil {
			err = unix.Setxattr(dst, key, value, 0)
		}
		if err != nil {
			return fmt.Errorf("copy the extended attribute %s of %s: %w", key, src, err)
		}
	}
	return nil
}

// attribute reads what fits into a buffer that is as large as is asked for.
func attribute(read func(into []byte) (int, error)) ([]byte, error) {
	for {
		n, err := read(nil)
		if err != nil || n == 0 {
			return nil, err
		}
		into := make([]byte, n)
		n, err = read(into)
		if errors.Is(err, unix.ERANGE) { // it grew meanwhile
			continue
		}
		return into[:max(0, n)], err
	}
}
