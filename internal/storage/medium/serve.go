package medium

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func serve(ctx context.Context, c Config, stdin io.Reader, stdout io.Writer) error {
	image, err := os.OpenFile(c.Image, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open the image of the medium: %w", err)
	}
	defer image.Close()
	prefer()
	kernel, err := connect(c.Name, c.Mount)
	if err != nil {
		return err
	}
	play := newPlayer(kernel, image, c)
	stop := context.AfterFunc(ctx, func() { _ = unix.Unmount(c.Mount, unix.MNT_DETACH) })
	defer stop()
	go func() {
		if err := answer(play, stdin, stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		play.pause()
	}()
	return play.run()
}

// prefer keeps the machine's load from slowing down the simulated hardware: it asks for a
// higher priority, for being the last to be killed for memory, and (see PR_SET_IO_FLUSHER
// in prctl(2)) for not waiting on write-back that waits for us. It does without whatever is
// not permitted.
func prefer() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-900"), 0)
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(filepath.Base(t.Name())); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, -15)
		}
	}
	if _, _, err := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_IO_FLUSHER, 1, 0); errors.Is(err, unix.ENOTSUP) {
		// A binary with cgo cannot reach all threads; this one will do.
		runtime.LockOSThread()
		_ = unix.Prctl(unix.PR_SET_IO_FLUSHER, 1, 0, 0, 0)
		runtime.UnlockOSThread()
	}
}

// exact takes the calling thread's timer slack away, 50 us by default.
func exact() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }
