package objects

import (
	"fmt"
	"strconv"
	"strings"
)

// space is a set of keys of one user: the loaded keys, or the keys of one session.
type space struct {
	user  int64
	epoch uint64 // of a session; 0 is what was loaded
}

// Keys are u00003/p0001/o0000017 where they were loaded, and w00003-9f0c2d4e/p0001/o0000017
// where a session writes.
func (s space) root() string {
	if s.epoch == 0 {
		return fmt.Sprintf("u%05d/", s.user)
	}
	return fmt.Sprintf("w%05d-%08x/", s.user, s.epoch)
}

// prefix returns the prefix of an object's key. Objects are spread round-robin over the
// prefixes.
func (s space) prefix(number, prefixes int64) string {
	return s.root() + fmt.Sprintf("p%04d/", number%prefixes)
}

func (s space) key(number, prefixes int64) string {
	return s.prefix(number, prefixes) + fmt.Sprintf("o%08d", number)
}

// file is the number of an object in stamps: unique in the bucket, and never 0.
func (s space) file(number int64) uint64 {
	if s.epoch == 0 {
		return uint64(s.user)<<30 | uint64(number) + 1
	}
	return s.epoch<<30 | uint64(number) + 1
}

// epochs of sessions have the top bit of 32, so that their files are not those that were
// loaded.
const (
	firstEpoch = 1 << 31
	lastEpoch  = 1<<32 - 1
)

// readKey parses a key. ours is false if it is not a key of this workload.
func readKey(key string, prefixes int64) (s space, number int64, ours bool) {
	parts := strings.Split(key, "/")
	if len(parts) != 3 || len(parts[0]) < 2 || !strings.HasPrefix(parts[2], "o") {
		return s, 0, false
	}
	user, epoch, written := strings.Cut(parts[0][1:], "-")
	s.user, _ = strconv.ParseInt(user, 10, 64)
	if written {
		s.epoch, _ = strconv.ParseUint(epoch, 16, 64)
	}
	number, err := strconv.ParseInt(parts[2][1:], 10, 64)
	return s, number, err == nil && s.key(number, prefixes) == key
}
