package clone

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// copyLink copies a symbolic link. One that leads out of the tree is refused: two instances
// would share its target.
func (t *tree) copyLink(l entry) error {
	to, err := os.Readlink(filepath.Join(t.src, l.path))
	if err != nil {
		return err
	}
	inside, ok := t.within(l, to)
	if !ok {
		return fmt.Errorf("the link %s points outside the tree, to %s: clones would share it; keep everything below one directory", l.path, to)
	}
	if filepath.IsAbs(to) {
		to = filepath.Join(t.dst, inside)
	}
	if err := os.Symlink(to, t.target(l)); err != nil {
		return err
	}
	return t.own(t.target(l))
}

// within returns the place in the tree that a link points at.
func (t *tree) within(l entry, to string) (string, bool) {
	if !filepath.IsAbs(to) {
		to = filepath.Join(t.src, filepath.Dir(l.path), to)
	}
	relative, err := filepath.Rel(t.src, filepath.Clean(to))
	if err != nil || relative == ".." || strings.HasPrefix(relative, "../") {
		return "", false
	}
	return relative, true
}
