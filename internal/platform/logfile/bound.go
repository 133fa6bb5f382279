package logfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Only the beginning and the end of a log are kept, these many bytes each: how a server
// started, and its last messages. Otherwise a server that complains about every request
// would fill the disk in a day.
const (
	keptHead = 1 << 20
	keptTail = 15 << 20
)

// boundInterval is how often logs are looked at.
const boundInterval = 30 * time.Second

// Bound keeps the logs in a directory from growing without limit, until it is stopped.
// Servers continue to write to the same files: the space of the files' middle is given back
// to the file system, where that is possible.
func Bound(directory string) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(boundInterval)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				_ = boundAll(directory) // a log that cannot be cut is whole
			}
		}
	}()
	return sync.OnceFunc(func() { close(quit); <-done })
}

func boundAll(directory string) error {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && info.Size() > keptHead+2*keptTail {
			errs = append(errs, bound(filepath.Join(directory, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// bound frees the blocks in the middle of a file, which keeps its size: whoever appends
// to it notices nothing.
func bound(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was removed meanwhile
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, keptHead, info.Size()-keptTail-keptHead)
}

// bounded reads a log's beginning and end, and says between them how much is left out.
type bounded struct {
	io.Reader
	io.Closer
}

func openBounded(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	between := info.Size() - keptHead - keptTail
	if between <= 0 {
		return f, nil
	}
	said := fmt.Sprintf("\n\nplimsoll: %d bytes of this log were left out here\n\n", between)
	head, tail := io.NewSectionReader(f, 0, keptHead), io.NewSectionReader(f, info.Size()-keptTail, keptTail)
	return bounded{io.MultiReader(head, strings.NewReader(said), tail), f}, nil
}
