package trial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/safefile"
)

// receipts keeps what drivers keep of each instance, packed as it comes (see
// task.EachReceipt), until the instance's audit has passed. It lies in files: there
// are a few bytes for each unit of work. What add has taken outlives both the
// driver and this process.
type receipts struct {
	dir   string
	mu    sync.Mutex
	files map[int]*os.File // at most mostOpen
}

// mostOpen is how many files of receipts are open at once: there is one for each instance,
// and a process may often have no more than a few thousand files.
const mostOpen = 1024

func newReceipts(dir string) (*receipts, error) {
	if err := safefile.Ensure(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keep receipts: %w", err)
	}
	return &receipts{dir: dir, files: map[int]*os.File{}}, nil
}

func (r *receipts) path(instance int) string {
	return filepath.Join(r.dir, fmt.Sprintf("instance-%03d", instance))
}

// add keeps packed receipts of an instance.
func (r *receipts) add(instance int, packed []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := r.file(instance)
	if err == nil {
		_, err = f.Write(packed)
	}
	if err != nil {
		return fmt.Errorf("keep receipts: %w", mounts.NameFull(err, r.path(instance)))
	}
	return nil
}

// file gives the open file of an instance. The caller holds mu.
func (r *receipts) file(instance int) (*os.File, error) {
	if f := r.files[instance]; f != nil {
		return f, nil
	}
	if len(r.files) >= mostOpen {
		if err := r.close(); err != nil {
			return nil, err
		}
	}
	f, err := safefile.Append(r.path(instance), 0o600)
	if err == nil {
		r.files[instance] = f
	}
	return f, err
}

// open gives what reads the receipts of an instance. One whose users were never
// acknowledged anything has none.
func (r *receipts) open(instance int) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		f, err := os.Open(r.path(instance))
		if errors.Is(err, fs.ErrNotExist) {
			return io.NopCloser(strings.NewReader("")), nil
		}
		if err != nil {
			return nil, fmt.Errorf("read receipts: %w", err)
		}
		return f, nil
	}
}

// remove takes all of them away.
func (r *receipts) remove() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.close(), os.RemoveAll(r.dir))
}

// close closes all files. The caller holds mu.
func (r *receipts) close() error {
	var errs []error
	for _, f := range r.files {
		errs = append(errs, f.Close())
	}
	clear(r.files)
	return errors.Join(errs...)
}
