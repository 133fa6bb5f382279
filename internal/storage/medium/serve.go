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
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// timeout is how long the kernel may keep names and attributes, which never
// change.
const timeout = time.Hour

func serve(ctx context.Context, c Config, stdin io.Reader, stdout io.Writer) error {
	image, err := os.OpenFile(c.Image, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open the image of the medium: %w", err)
	}
	defer image.Close()
	play, err := newPlayer(func() Model { return New(c.Spec, c.Size) })
	if err != nil {
		return err
	}
	prefer()
	server, err := fuse.NewServer(newBlockFile(image, c.Size, play), c.Mount, mountOptions(c.Name))
	if err != nil {
		return fmt.Errorf("mount the medium on %s: %w; simulated media need root and /dev/fuse", c.Mount, err)
	}
	go play.run()
	go server.Serve()
	if err := server.WaitMount(); err != nil {
		return fmt.Errorf("mount the medium on %s: %w", c.Mount, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = unix.Unmount(c.Mount, unix.MNT_DETACH) })
	defer stop()
	go func() {
		if err := answer(play, stdin, stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		play.pause()
	}()
	server.Wait()
	return nil
}

func mountOptions(name string) *fuse.MountOptions {
	return &fuse.MountOptions{
		FsName: name, Name: "plimsoll",
		DirectMountStrict: true,
		MaxBackground:     1024, // more than a loop device has under way
		MaxWrite:          256 << 10,
		DisableXAttrs:     true,
		ExtraCapabilities: fuse.CAP_ASYNC_DIO,
	}
}

// prefer asks that simulated hardware is not slowed down by the load that it
// is under: a higher priority, the last to be killed for memory, and (see
// PR_SET_IO_FLUSHER in prctl(2)) no waiting for the write-back that waits for
// us. What is not permitted is done without.
func prefer() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-900"), 0)
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(filepath.Base(t.Name())); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, -15)
		}
	}
	if _, _, err := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_IO_FLUSHER, 1, 0); errors.Is(err, unix.ENOTSUP) {
		// A binary with cgo cannot reach all threads; those made from here on
		// by this one inherit it.
		runtime.LockOSThread()
		_ = unix.Prctl(unix.PR_SET_IO_FLUSHER, 1, 0, 0, 0)
		runtime.UnlockOSThread()
	}
}
