package telemetry

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// files keeps files below /proc and /sys open, as many as the open-file limit
// comfortably allows, and reads them in place. It is used by one goroutine.
type files struct {
	open, most int
	buffer     []byte
	exceeded   bool
	denied     int
	silent     []string // servers that could never be asked
}

func newFiles() *files {
	f := &files{buffer: make([]byte, 64<<10), most: 512}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		f.most = int(min(limit.Cur/2, 32<<10))
	}
	return f
}

// notes says what could not be read for want of rights or files.
func (f *files) notes() []string {
	var notes []string
	if f.exceeded {
		notes = append(notes, "telemetry reached the limit of open files (ulimit -n): some values are missing")
	}
	if f.denied > 0 {
		notes = append(notes, "no permission to read the I/O of processes of other users: it is missing")
	}
	return append(notes, f.silent...)
}

// file is one file that is read again and again.
type file struct {
	files *files
	path  string
	fd    int  // -1 when it is not kept open
	list  bool // the kernel gives it in pieces
	fresh bool // it must be opened anew each time
}

// file prepares to read a file that the kernel gives whole.
func (f *files) file(path string) *file { return &file{files: f, path: path, fd: -1} }

// list prepares to read a file of records, which the kernel gives about a page
// at a time.
func (f *files) list(path string) *file { return &file{files: f, path: path, fd: -1, list: true} }

// freshList is a list that must be opened anew for each read. The kernel makes
// the process list of a version 1 cgroup once and shows the same one for as
// long as it is looked at every second (kernel function cgroup_pidlist_start).
func (f *files) freshList(path string) *file {
	return &file{files: f, path: path, fd: -1, list: true, fresh: true}
}

// read gives the contents, valid until the next read of any file, or nil when
// there are none.
func (f *file) read() []byte {
	fd := f.fd
	if fd < 0 {
		var err error
		if fd, err = openFile(f.path); err != nil {
			f.files.failed(err)
			return nil
		}
		if f.files.open < f.files.most && !f.fresh {
			f.fd = fd
			f.files.open++
		} else {
			defer unix.Close(fd)
		}
	}
	text, err := f.files.readAll(fd, f.list)
	if err != nil {
		f.close()
		return nil
	}
	return text
}

func openFile(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if !errors.Is(err, syscall.EINTR) {
			return fd, err
		}
	}
}

// readAll reads from the beginning to the end; the kernel makes the contents
// anew for a read at offset 0.
func (f *files) readAll(fd int, list bool) ([]byte, error) {
	n := 0
	for {
		m, err := unix.Pread(fd, f.buffer[n:], int64(n))
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		n += m
		if m == 0 || (n < len(f.buffer) && !list) {
			return f.buffer[:n], nil
		}
		if n == len(f.buffer) {
			f.buffer = append(f.buffer, make([]byte, n)...)
		}
	}
}

func (f *file) close() {
	if f.fd >= 0 {
		_ = unix.Close(f.fd)
		f.fd = -1
		f.files.open--
	}
}

// failed keeps what a reader of the results should know.
func (f *files) failed(err error) {
	switch {
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
		f.exceeded = true
	case errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM):
		f.denied++
	}
}
