//go:build go1.27

package thread

// ownRuntime is false: nobody has tested the runtime of this version of Go.
var ownRuntime = false

func entersyscallblock() {}

func exitsyscall() {}
