// Package owner says whose files are as good as one's own.
package owner

import (
	"os"
	"strconv"
)

// AloneVariable in the environment says that nobody but this user has processes where the
// program runs, as in a container of its own, so that files and open directories of others are
// no danger.
const AloneVariable = "PLIMSOLL_ALONE"

// Alone reports whether AloneVariable is set.
func Alone() bool { return os.Getenv(AloneVariable) != "" }

// Trusted reports whether a user is root, this one, or the one that called sudo(8), who has
// become root: who that is says the environment of the process, which nobody else can set.
func Trusted(uid uint32) bool {
	return uid == 0 || int(uid) == os.Geteuid() || os.Geteuid() == 0 && os.Getenv("SUDO_UID") == strconv.Itoa(int(uid))
}
