package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/result"
)

// loopJob is what the loop does: the calls that smallfile makes for each file, with full
// paths, and the time of each operation, as smallfile takes it when asked for percentiles.
type loopJob struct {
	Operation string `json:"operation"`
	Dir       string `json:"dir"`
	Users     int    `json:"users"`
	Files     int64  `json:"files"` // of each user
	Size      int64  `json:"size"`  // bytes of a file
}

// loopArgument makes the benchmark's program the loop.
const loopArgument = "loop"

// appended is as much as smallfiles appends by default, in bytes.
const appended = 4 << 10

// loopMain is the process of the loop; elsewhere it returns at once.
func loopMain() {
	if len(os.Args) != 3 || os.Args[1] != loopArgument {
		return
	}
	var job loopJob
	if err := json.Unmarshal([]byte(os.Args[2]), &job); err != nil {
		exit(err)
	}
	done, err := job.run()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(done)
	}
	exit(err)
}

// loopDone is what came of it, in seconds.
type loopDone struct {
	Seconds float64 `json:"seconds"` // all in all
	P50     float64 `json:"p50"`     // of an operation
	P95     float64 `json:"p95"`
	P99     float64 `json:"p99"`
}

// run has all users do their files, a thread each.
func (j loopJob) run() (done loopDone, err error) {
	runtime.GOMAXPROCS(j.Users + 1)
	errs, times := make([]error, j.Users), make([]*hdr.Histogram, j.Users)
	var users sync.WaitGroup
	begun := time.Now()
	for user := range errs {
		times[user] = result.NewHistogram()
		users.Go(func() {
			runtime.LockOSThread()
			errs[user] = j.user(user, times[user])
		})
	}
	users.Wait()
	done.Seconds = time.Since(begun).Seconds()
	for _, h := range times[1:] {
		times[0].Merge(h)
	}
	done.P50, done.P95, done.P99 = result.Quantile(times[0], 0.5), result.Quantile(times[0], 0.95), result.Quantile(times[0], 0.99)
	return done, errors.Join(errs...)
}

func (j loopJob) user(user int, times *hdr.Histogram) error {
	buffer := make([]byte, min(1<<20, max(j.Size, appended)))
	blockcheck.Random(buffer, uint64(user))
	for file := range j.Files {
		path := filepath.Join(j.Dir, fmt.Sprintf("%d.%08d", user, file))
		begun := time.Now()
		err := j.file(path, buffer)
		if err == nil {
			err = times.RecordValue(time.Since(begun).Nanoseconds())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (j loopJob) file(path string, buffer []byte) error {
	switch j.Operation {
	case "create":
		return opened(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, func(fd int) error { return move(fd, buffer, j.Size, unix.Write) })
	case "read":
		return opened(path, unix.O_RDONLY, func(fd int) error { return move(fd, buffer, j.Size, unix.Read) })
	case "append":
		return opened(path, unix.O_WRONLY|unix.O_APPEND, func(fd int) error { return move(fd, buffer, appended, unix.Write) })
	case "stat":
		return unix.Lstat(path, &unix.Stat_t{})
	case "rename":
		return unix.Rename(path, path+".renamed")
	}
	return unix.Unlink(path)
}

func opened(path string, flags int, do func(fd int) error) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(do(fd), unix.Close(fd))
}

// move reads or writes so many bytes.
func move(fd int, buffer []byte, bytes int64, call func(int, []byte) (int, error)) error {
	for bytes > 0 {
		n, err := call(fd, buffer[:min(bytes, int64(len(buffer)))])
		if err != nil || n <= 0 {
			return fmt.Errorf("%d bytes are missing: %w", bytes, err)
		}
		bytes -= int64(n)
	}
	return nil
}
