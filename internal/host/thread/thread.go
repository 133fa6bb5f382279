// Package thread does what changes an operating system thread for good: its
// namespaces, its control groups.
package thread

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Spare runs do on a thread that ends with it. Processes that do starts inherit the
// thread's changes. It never uses the first thread of the process: that one would outlive
// do, its state shows in /proc, and its memory group is charged for the whole process.
func Spare(do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			// While this goroutine holds the first thread the next gets another.
			done <- Spare(do)
			runtime.UnlockOSThread()
			return
		}
		done <- do()
	}()
	return <-done
}
