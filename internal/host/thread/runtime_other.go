//go:build go1.27

package thread

// ownRuntime says that nobody has tried the runtime of this version of Go.
var ownRuntime = false

func entersyscallblock() {}

func exitsyscall() {}
