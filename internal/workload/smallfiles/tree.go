package smallfiles

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// topName is the directory that everything is in.
const topName = "smallfiles"

// tree says where the files of all workers are: in leaf directories of at most
// fanOut files each, at the depth that was asked for, whose names are made from
// numbers. Each worker has a tree of its own. With shared there is one tree.
// Consecutive files belong to different workers, so all of them work in the same
// directory at the same time.
type tree struct {
	files  int64 // of each worker
	users  int64
	fanOut int64
	depth  int
	shared bool
	leaves int64 // directories with files, of each tree
	width  int64 // most directories in a directory
}

func newTree(p *Parameters, users int64) tree {
	t := tree{files: p.Files, users: users, fanOut: p.FanOut, depth: p.Depth, shared: p.Shared}
	t.leaves = (t.inTree() + t.fanOut - 1) / t.fanOut
	t.width = root(t.leaves, t.depth)
	return t
}

// inTree is how many files one tree has.
func (t tree) inTree() int64 {
	if t.shared {
		return t.files * t.users
	}
	return t.files
}

// trees is how many there are.
func (t tree) trees() int64 {
	if t.shared {
		return 1
	}
	return t.users
}

// root is the smallest number whose power is at least n.
func root(n int64, power int) int64 {
	for width := int64(1); ; width++ {
		product := int64(1)
		for range power {
			if product *= width; product >= n {
				return width
			}
		}
	}
}

// place is where a file is.
type place struct {
	tree int64
	at   int64 // number in the tree, from which its name is made
}

// place returns the place of a worker's file.
func (t tree) place(worker, file int64) place {
	if t.shared {
		return place{0, file*t.users + worker}
	}
	return place{worker, file}
}

// owner returns the worker and the number that a file has there.
func (t tree) owner(p place) (worker, file int64) {
	if t.shared {
		return p.at % t.users, p.at / t.users
	}
	return p.tree, p.at
}

// leaf is the number of the directory that a file is in.
func (t tree) leaf(p place) int64 { return p.at / t.fanOut }

// within returns the first file of a leaf, and the first of the next.
func (t tree) within(leaf int64) (from, to int64) {
	return leaf * t.fanOut, min((leaf+1)*t.fanOut, t.inTree())
}

// number returns the number of a file within the volume, from 1.
func (t tree) number(worker, file int64) uint64 { return uint64(worker*t.files+file) + 1 }

// top is the path of a tree.
func (t tree) top(number int64) string { return filepath.Join(topName, fmt.Sprintf("w%05d", number)) }

// path returns the path of a leaf directory within the volume.
func (t tree) path(number, leaf int64) string { return t.branch(number, leaf, t.depth) }

// branch is the path of the directory above a leaf at a level; the leaf itself
// is at level depth.
func (t tree) branch(number, leaf int64, level int) string {
	for range t.depth - level {
		leaf /= t.width
	}
	parts := make([]string, level+1)
	for i := level; i > 0; i-- {
		parts[i] = fmt.Sprintf("d%04d", leaf%t.width)
		leaf /= t.width
	}
	parts[0] = t.top(number)
	return filepath.Join(parts...)
}

// directories visits every directory of a tree, each before those in it.
func (t tree) directories(number int64, visit func(path string) error) error {
	if err := visit(t.top(number)); err != nil {
		return err
	}
	for level := 1; level <= t.depth; level++ {
		last := ""
		for leaf := range t.leaves {
			path := t.branch(number, leaf, level)
			if path == last {
				continue
			}
			last = path
			if err := visit(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// A file is named by its number in the tree: f0000000012, and r0000000012 after a
// rename, until the next.
const (
	original = 'f'
	renamed  = 'r'
	digits   = 10
)

// fileName makes the name of a file.
func fileName(at int64, moved bool) string {
	name := [digits + 1]byte{original}
	if moved {
		name[0] = renamed
	}
	for i := digits; i > 0; i-- {
		name[i] = byte('0' + at%10)
		at /= 10
	}
	return string(name[:])
}

// readName reads what fileName made.
func readName(name string) (at int64, moved, ours bool) {
	if len(name) != digits+1 || name[0] != original && name[0] != renamed {
		return 0, false, false
	}
	at, err := strconv.ParseInt(name[1:], 10, 64)
	return at, name[0] == renamed, err == nil && fileName(at, name[0] == renamed) == name
}

// ownLeaves returns how many directories a worker lists: all of its own tree, or its share
// of a common tree.
func (t tree) ownLeaves(worker int64) int64 {
	if !t.shared {
		return t.leaves
	}
	return (t.leaves + t.users - 1 - worker) / t.users
}

// ownLeaf returns one of them.
func (t tree) ownLeaf(worker, n int64) int64 {
	if t.shared {
		return n*t.users + worker
	}
	return n
}

// treeOf is the number of the tree that a worker's files are in.
func (t tree) treeOf(worker int64) int64 { return t.place(worker, 0).tree }
