package local

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// User is who servers run as by default: this user, or for root the account
// "plimsoll" if there is one, else "nobody". Classes give volumes to it.
func User() (uid, gid int) {
	if os.Geteuid() != 0 {
		return os.Geteuid(), os.Getegid()
	}
	for _, name := range []string{"plimsoll", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			return uid, gid
		}
	}
	return overflow, overflow
}

// overflow is the kernel's own identifier for users without one.
const overflow = 65534

// named refuses a user without an account: PostgreSQL's initdb asks the system
// for the name of the user that it runs as.
func named(uid int) error {
	if _, err := user.LookupId(strconv.Itoa(uid)); err != nil {
		return fmt.Errorf("servers cannot run as uid %d, which no account has (PostgreSQL's initdb asks for its name): choose one with an account, such as nobody, or make one: useradd --system plimsoll", uid)
	}
	return nil
}

// canSeparateIPC tries whether a process may be given an IPC namespace.
func canSeparateIPC() bool {
	if os.Geteuid() != 0 {
		return false
	}
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWIPC}
	return cmd.Run() == nil
}
