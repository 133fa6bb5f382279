package smallfiles

import (
	"errors"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
)

// list opens a directory anew, as programs do, reads its names and compares the worker's
// own files among them with the expected ones.
func (w *worker) list(leaf int64) (err error) {
	tree := w.tree.treeOf(w.number)
	dir, err := w.root.Dir(w.tree.path(tree, leaf))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	names, err := dir.Names()
	if err != nil {
		return err
	}
	return w.compare(names, tree, leaf)
}

func (w *worker) compare(names []string, tree, leaf int64) error {
	from, to := w.tree.within(leaf)
	own := 0
	for _, name := range names {
		at, is, ours := readName(name)
		if !ours || at < from || at >= to {
			return fileio.Wrong(blockcheck.Foreign, "%s: %q is not one of this workload's files", w.tree.path(tree, leaf), name)
		}
		worker, number := w.tree.owner(place{tree, at})
		if worker != w.number || w.all.files[number].is(doubtful) {
			continue
		}
		if f := w.all.files[number]; !f.is(present) || f.is(moved) != is {
			return fileio.Wrong(blockcheck.Stale, "%s: %q is there, although the file was renamed or deleted", w.tree.path(tree, leaf), name)
		}
		own++
	}
	if want := w.ownIn(tree, from, to); own != want {
		return fileio.Wrong(fileio.Missing, "%s: %d of %d files are there", w.tree.path(tree, leaf), own, want)
	}
	return nil
}

// ownIn counts the worker's files that must be among some numbers.
func (w *worker) ownIn(tree, from, to int64) (n int) {
	for at := from; at < to; at++ {
		worker, number := w.tree.owner(place{tree, at})
		if f := w.all.files[number]; worker == w.number && f.is(present) && !f.is(doubtful) {
			n++
		}
	}
	return n
}
