package local

import "syscall"

// mostOpenFiles is as high as servers are let go: systemd's default for services.
// Some programs close every number up to their limit when they start.
const mostOpenFiles = 512 << 10

// raiseOpenFiles raises the soft limit of open files towards the hard one, for the
// processes that this one starts. The soft limit is low for the sake of programs
// that use select(2). Go has raised it for this process alone, and gives children
// the old one unless an administrator sets it. Where it is refused, servers run
// with what they have.
func raiseOpenFiles() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return
	}
	limit.Cur = min(limit.Max, max(limit.Cur, mostOpenFiles))
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}
