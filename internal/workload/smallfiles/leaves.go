package smallfiles

import (
	"errors"

	"plimsoll/internal/workload/fileio"
)

// keptOpen is how many directories a worker keeps open.
const keptOpen = 32

// leaves are the open directories of a tree: names are looked up from there,
// without the way through the tree, as programs do that work in a directory.
type leaves struct {
	root *fileio.Root
	tree tree
	kept map[int64]openLeaf // by leaf, modulo keptOpen
}

type openLeaf struct {
	leaf int64
	dir  *fileio.Dir
}

func newLeaves(root *fileio.Root, t tree) leaves { return leaves{root, t, map[int64]openLeaf{}} }

// of opens the directory of a leaf, or gives the open one.
func (l *leaves) of(tree, leaf int64) (*fileio.Dir, error) {
	slot := leaf % keptOpen
	k, open := l.kept[slot]
	if open && k.leaf == leaf {
		return k.dir, nil
	}
	if open {
		delete(l.kept, slot)
		if err := k.dir.Close(); err != nil {
			return nil, err
		}
	}
	dir, err := l.root.Dir(l.tree.path(tree, leaf))
	if err != nil {
		return nil, err
	}
	l.kept[slot] = openLeaf{leaf, dir}
	return dir, nil
}

func (l *leaves) close() error {
	var all []error
	for _, k := range l.kept {
		all = append(all, k.dir.Close())
	}
	clear(l.kept)
	return errors.Join(all...)
}
