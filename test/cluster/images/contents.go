package images

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"plimsoll/internal/platform/kubernetes/image"
)

// contents collects what programs consist of.
type contents struct {
	layer image.Layer
	below map[string]bool // what layers below have
	has   map[string]bool
}

func newContents(below map[string]bool) *contents {
	return &contents{below: below, has: map[string]bool{}}
}

// add takes each path once.
func (c *contents) add(f image.File) {
	if !c.below[f.Path] && !c.has[f.Path] {
		c.has[f.Path] = true
		c.layer = append(c.layer, f)
	}
}

func (c *contents) programs(paths ...string) error {
	for _, path := range paths {
		if err := c.program(path); err != nil {
			return err
		}
	}
	return nil
}

// program adds a program, or a library that is loaded by name, with the libraries
// that it is linked with.
func (c *contents) program(path string) error {
	if err := c.file(path); err != nil {
		return err
	}
	libraries, err := linked(path)
	if err != nil {
		return err
	}
	for _, library := range libraries {
		if err := c.file(library); err != nil {
			return err
		}
	}
	return nil
}

// file adds the file that a path leads to. Directories such as /lib are links, here
// and in the image, so the place is written without them.
func (c *contents) file(path string) error {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	c.add(image.File{Path: filepath.Join(dir, filepath.Base(path)), Source: real, Mode: info.Mode().Perm() | 0o444})
	return nil
}

// trees adds files and directories with all that is below them, and the libraries
// of the programs among it, but for names that match a pattern.
func (c *contents) trees(roots []string, but ...string) error {
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case matches(d.Name(), but) && d.IsDir():
				return fs.SkipDir
			case matches(d.Name(), but) || d.IsDir():
				return nil
			case isDirectory(path): // a link to one
				return nil
			}
			return c.program(path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func matches(name string, patterns []string) bool {
	for _, pattern := range patterns {
		if ok, _ := filepath.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// linked lists the libraries of a program, and the loader; a script has none.
func linked(path string) ([]string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, nil //nolint:nilerr // it is no program
	}
	needed, err := file.ImportedLibraries()
	if closeErr := file.Close(); err != nil || closeErr != nil || len(needed) == 0 {
		return nil, err
	}
	out, err := exec.Command("ldd", path).Output()
	if err != nil {
		return nil, fmt.Errorf("ldd %s: %w", path, err)
	}
	return resolved(path, string(out))
}

// resolved reads the lines of ldd(1): "libz.so.1 => /lib/x/libz.so.1 (0x7f…)", the
// loader without an arrow.
func resolved(path, text string) (found []string, err error) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "not found") {
			return nil, fmt.Errorf("%s: a library is missing: %s", path, strings.TrimSpace(line))
		}
		for _, word := range strings.Fields(line) {
			if filepath.IsAbs(word) {
				found = append(found, word)
			}
		}
	}
	return found, nil
}

// versionOf asks a program for its version; nothing when it is not installed.
func versionOf(program, pattern string) (string, bool) {
	for _, flag := range []string{"--version", "-v"} {
		out, err := exec.Command(program, flag).CombinedOutput()
		if m := regexp.MustCompile(pattern).FindSubmatch(bytes.TrimSpace(out)); err == nil && m != nil {
			return string(m[1]), true
		}
	}
	return "", false
}
