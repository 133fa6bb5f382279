package fileio

import (
	"context"
	"errors"
	"strconv"

	"golang.org/x/sys/unix"

	"plimsoll/internal/workload"
)

// DirOf is the directory of a user, by number, below the directory of all users.
func DirOf(top string, user int) string { return top + "/" + strconv.Itoa(user) }

// PrepareUsers prepares a volume as Prepare does, with a directory below top for each user, whose
// files take so many bytes. fill writes them and reports the share that is done, 0..1; it does
// not leave the directory. All is on the medium when PrepareUsers ends.
func PrepareUsers(ctx context.Context, t workload.Target, o Owner, top string, bytes int64, progress func(float64),
	fill func(at Home, user int, progress func(float64)) error) error {
	users := max(1, t.Users)
	return Prepare(t, o, top, int64(users)*bytes, func(root *Root, volume uint64) error {
		if err := root.Make(top); err != nil {
			return err
		}
		for user := range users {
			done := func(share float64) { progress((float64(user) + share) / float64(users)) }
			err := ctx.Err()
			if err == nil {
				err = root.make(DirOf(top, user), func(dir *Dir) error { return fill(Home{Dir: dir, Volume: volume}, user, done) })
			}
			if err != nil {
				return err
			}
			done(1)
		}
		return root.Sync()
	})
}

// make makes a directory that must not exist and does something with it.
func (r *Root) make(path string, do func(*Dir) error) error {
	if err := r.Make(path); err != nil {
		return err
	}
	dir, err := r.Dir(path)
	if err != nil {
		return err
	}
	return errors.Join(do(dir), dir.Close())
}

// Home is the directory that a session works in, on the volume that was prepared for its owner.
// Sessions in memory have none.
type Home struct {
	Target workload.Target
	Owner  Owner
	Path   string
	Create bool // the directory, if it is not there

	Dir    *Dir   // nil in memory
	Volume uint64 // identity

	failing int // units that failed since one succeeded
}

// Enter opens the directory and makes sure that it is the right volume's.
func (h *Home) Enter() error {
	if InMemory(h.Target) {
		return nil
	}
	return OnPrepared(h.Target, h.Owner, func(root *Root, volume uint64) error {
		dir, err := root.Dir(h.Path)
		if h.Create && errors.Is(err, unix.ENOENT) {
			if err := root.Make(h.Path); err != nil {
				return err
			}
			dir, err = root.Dir(h.Path)
		}
		if err == nil {
			h.Volume, h.Dir = volume, dir
		}
		return err
	})
}

// Reenter opens everything anew after a failure: storage that came back may not know old
// descriptors, and the volume may have been mounted again. Where that fails, the next unit of
// work does, too, and is counted.
func (h *Home) Reenter() {
	if old := h.Dir; old != nil && h.Enter() == nil {
		_ = old.Close() // writes through it were flushed, or have failed
	}
}

// Recover waits after a unit of work that failed, the longer the more have, and enters again.
func (h *Home) Recover() {
	h.failing++
	Sleep(Pause(h.failing))
	h.Reenter()
}

// Recovered notes that a unit of work succeeded.
func (h *Home) Recovered() { h.failing = 0 }

// Leave closes the directory.
func (h *Home) Leave() error {
	if h.Dir == nil {
		return nil
	}
	return h.Dir.Close()
}
