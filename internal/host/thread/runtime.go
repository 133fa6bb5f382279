//go:build !go1.27

package thread

import (
	_ "unsafe" // go:linkname
)

// The runtime keeps these two for callers outside of it (go.dev/issue/67401). The first
// gives the thread's place to the scheduler at once; syscall.Syscall leaves it with the
// thread until the monitor takes it away, which keeps the monitor busy and the thread
// waiting for a place when the call is over.
//
//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// ownRuntime is true for versions of Go with a tested runtime: it has these two functions,
// and starts its monitor as the second thread. Tests switch it off.
var ownRuntime = true
