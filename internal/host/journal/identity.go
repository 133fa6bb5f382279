package journal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"plimsoll/internal/host/flock"
)

// namePrefix begins the name of everything that a run makes.
const namePrefix = "plimsoll-"

// A run identifier has no dot, which divides it from the rest of a name: so
// that no name of one run is the beginning of another's.
var runIDForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// readableID is how much of a run's name its identifier repeats; the paths of
// sockets have little room.
const readableID = 32

// NewRunID makes the identifier of a new run: what can be read of its name, and
// 40 random bits, so that no two runs of a machine share one.
func NewRunID(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x80 && runIDForm.MatchString(string(r)) {
			return r
		}
		return '-'
	}, name)
	var bits [5]byte
	_, _ = rand.Read(bits[:]) // never fails (crypto/rand)
	suffix := strings.ToLower(base32.StdEncoding.EncodeToString(bits[:]))
	return plain[:min(len(plain), readableID)] + "-" + suffix
}

// Name names something that a run makes: plimsoll-<run>, or
// plimsoll-<run>.<part>.<part>. Names of directories, cgroups and namespaces
// must be made by it, because Sweep and Leftovers know them by it.
func Name(runID string, parts ...string) string {
	return namePrefix + strings.Join(append([]string{runID}, parts...), ".")
}

// owns reports whether Name made this name for the run.
func owns(runID, name string) bool {
	rest, ours := strings.CutPrefix(name, namePrefix+runID)
	return ours && runID != "" && (rest == "" || rest[0] == '.')
}

// ownedPart is the first directory of a path that carries the run's name, and
// what follows it. A path without one is not the run's.
func ownedPart(runID, path string) (owned, below string, ok bool) {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return "", "", false
	}
	for at := 0; at < len(path); {
		end := at + 1 + strings.IndexByte(path[at+1:]+"/", '/')
		if owns(runID, path[at+1:end]) {
			return path[:end], strings.TrimPrefix(path[end:], "/"), true
		}
		at = end
	}
	return "", "", false
}

// ErrClaimed means that another process works on a run of the same identifier.
var ErrClaimed = errors.New("another plimsoll process on this machine is using this run, or a copy of it")

// Claim gives this process the exclusive right to work on a run or a copy of it, among its
// user's processes on the machine, until it is closed or the process ends, however it ends.
// The lock is next to the run's register, where no other user can take it.
func Claim(runID string) (io.Closer, error) {
	if !runIDForm.MatchString(runID) {
		return nil, fmt.Errorf("claim a run: %q is no identifier of a run", runID)
	}
	dir, err := registers()
	if err != nil {
		return nil, fmt.Errorf("claim run %s: %w", runID, err)
	}
	lock, err := flock.Take(dir, runID)
	if errors.Is(err, flock.ErrTaken) {
		return nil, ErrClaimed
	}
	if err != nil {
		return nil, fmt.Errorf("claim run %s: %w", runID, err)
	}
	return lock, nil
}

// ofMachine is where root reserves things that a whole machine has once. Nobody else can
// write there, and it is gone with the boot.
const ofMachine = "/run/plimsoll"

// Reserve takes something for this process, which is root's, that the machine has once, such as
// a number of a user: whichever directory registers are in. The error is flock.ErrTaken where
// another process has it.
func Reserve(what string) (io.Closer, error) {
	dir := ofMachine
	if err := makePrivate(dir); err != nil { // in a container whose own files cannot be written to
		var other error
		if dir, other = registers(); other != nil {
			return nil, errors.Join(err, other)
		}
	}
	return flock.Take(dir, what)
}

// MachineID tells this machine from others, across restarts. It is a keyed hash
// of machine-id(5), which is itself not to be published; a machine without one
// goes by its host name.
func MachineID() string {
	var id []byte
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if text, err := os.ReadFile(path); err == nil && len(strings.TrimSpace(string(text))) == 32 {
			id = []byte(strings.TrimSpace(string(text)))
			break
		}
	}
	if id == nil {
		name, _ := os.Hostname()
		id = []byte("host " + name)
	}
	sum := hmac.New(sha256.New, id)
	sum.Write([]byte("plimsoll run journal"))
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
