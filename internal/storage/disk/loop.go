package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const loopControl = "/dev/loop-control"

// attachLoop puts a loop device with direct I/O on a file and gives it open:
// the device goes away by itself with its last user (LO_FLAGS_AUTOCLEAR in
// loop(4)), so it has to be kept open until it is mounted.
func attachLoop(ctx context.Context, backing string) (*os.File, error) {
	file, err := os.OpenFile(backing, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open the medium: %w", err)
	}
	defer file.Close()
	for attempt := 0; ; attempt++ {
		device, err := tryLoop(file)
		if err == nil {
			return device, nil
		}
		// Another process may have taken the free device first.
		if !errors.Is(err, unix.EBUSY) || attempt == 100 {
			return nil, fmt.Errorf("attach a loop device to %s: %w", backing, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("attach a loop device to %s: %w", backing, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func tryLoop(file *os.File) (*os.File, error) {
	number, err := freeLoop()
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("/dev/loop%d", number)
	device, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; create the device node: mknod %s b 7 %d", err, path, number)
	}
	if err != nil {
		return nil, err
	}
	config := unix.LoopConfig{
		Fd:   uint32(file.Fd()),
		Size: 512,
		Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_DIRECT_IO | unix.LO_FLAGS_AUTOCLEAR},
	}
	copy(config.Info.File_name[:], file.Name())
	if err := unix.IoctlLoopConfigure(int(device.Fd()), &config); err != nil {
		return nil, errors.Join(err, device.Close())
	}
	return device, nil
}

func freeLoop() (int, error) {
	control, err := os.OpenFile(loopControl, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer control.Close()
	return unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
}

// tune makes the kernel treat the loop device as the medium that it stands
// for.
func (r specification) tune(device string) error {
	ahead := r.ahead
	if ahead == 0 {
		ahead = kernelReadAhead
	}
	for name, value := range map[string]string{
		"rotational": map[bool]string{true: "1", false: "0"}[r.spec.Rotational != nil],
		// The drive has a queue of its own; the kernel's would sort twice.
		"scheduler": "none",
		// Loop devices are used again, with what was set before.
		"read_ahead_kb": fmt.Sprint(ahead >> 10),
	} {
		if err := os.WriteFile(filepath.Join("/sys/block", filepath.Base(device), "queue", name), []byte(value), 0); err != nil {
			return fmt.Errorf("tune %s: %w", device, err)
		}
	}
	return nil
}

// kernelReadAhead is the default of Linux (VM_READAHEAD_PAGES of mm.h).
const kernelReadAhead = 128 << 10

// direct reports whether a loop device passes requests by the page cache.
func direct(device string) bool {
	text, _ := os.ReadFile(filepath.Join("/sys/block", filepath.Base(device), "loop/dio"))
	return strings.TrimSpace(string(text)) == "1"
}
