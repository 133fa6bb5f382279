package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/study/templates"
	"plimsoll/internal/text/words"
)

// A place is a directory that is to be tried.
type directory struct {
	path, runs string
	mount      mounts.Mount
	space      mounts.Space
	notes      []string // what to know about it
}

// leastSpace is what the studies need.
const leastSpace = 1 << 30

// networks are types of file systems whose medium is another machine's.
var networks = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs", "lustre", "gpfs", "beegfs", "afs"}

// lookAt says what a directory is, and refuses what cannot be tried.
func lookAt(path string) (p directory, err error) {
	p.path = command.Absolute(path)
	info, err := os.Stat(p.path)
	switch {
	case strings.IndexFunc(p.path, unicode.IsControl) >= 0:
		return p, command.Usage(fmt.Errorf("try: the path %q has control characters", path))
	case errors.Is(err, fs.ErrNotExist):
		return p, command.WithCode(fmt.Errorf("try: %s does not exist", path), command.ExitUsage, "give a directory on the storage that is to be measured")
	case err != nil:
		return p, command.Usage(fmt.Errorf("try: %w", err))
	case !info.IsDir():
		return p, command.WithCode(fmt.Errorf("try: %s is not a directory", path), command.ExitUsage, "give a directory on the storage; for a raw device see docs/storage/device.md")
	}
	if p.path, err = filepath.EvalSymlinks(p.path); err != nil {
		return p, command.Usage(fmt.Errorf("try: %w", err))
	}
	p.runs = filepath.Join(p.path, "runs")
	if info, err := os.Lstat(p.runs); err == nil && !info.IsDir() {
		return p, command.Usage(fmt.Errorf("try: %s is in the way: results go into a directory of that name", p.runs))
	}
	if err := machine.Writable(p.runs); err != nil {
		return p, command.WithCode(fmt.Errorf("try: %s cannot be written to: %w", p.path, err), command.ExitUsage, "run it as a user who may write there, or make a directory for it")
	}
	if p.mount, err = mounts.Find(p.path); err != nil {
		return p, err
	}
	if p.space, err = mounts.SpaceOf(p.path); err != nil {
		return p, err
	}
	if p.space.Free < leastSpace {
		return p, command.CannotRun(fmt.Errorf("try: %s has %s free; %s is needed", p.path, words.Binary(p.space.Free), words.Binary(leastSpace)), "make room, or give another directory")
	}
	p.look()
	return p, nil
}

// CheckDirectory says why a directory cannot be tried.
func CheckDirectory(path string) error {
	_, err := lookAt(path)
	return err
}

// look notes what readers of the figures must know.
func (p *directory) look() {
	switch {
	case p.mount.InMemory():
		p.notes = append(p.notes, "this is memory ("+p.mount.Type+"), not a disk: nothing in it survives a restart, and a flush costs nothing")
	case strings.HasPrefix(p.mount.Type, "fuse"):
		p.notes = append(p.notes, fmt.Sprintf("this is a file system in user space (%s, %s): its program, and the network if it uses one, are measured with it", p.mount.Type, p.mount.Source))
	case slices.Contains(networks, p.mount.Type):
		p.notes = append(p.notes, fmt.Sprintf("this is a network file system (%s, %s): the network, its server and other clients are measured with it", p.mount.Type, p.mount.Source))
	}
}

// medium returns the kind of device under the directory, as far as the kernel knows it.
func (p *directory) medium() templates.Medium {
	devices := p.mount.Devices()
	switch {
	case p.mount.InMemory():
		return templates.InMemory
	case len(devices) == 0 || slices.Contains(networks, p.mount.Type) || strings.HasPrefix(p.mount.Type, "fuse"):
		return templates.Remote
	case slices.ContainsFunc(devices, mounts.Virtual):
		return templates.Virtual
	case slices.ContainsFunc(devices, mounts.Rotates):
		return templates.Rotating
	}
	return templates.Flash
}

// closed is the outermost directory on the way that other users may not enter, where
// that matters.
func (p directory) closed() (dir string) {
	if os.Geteuid() != 0 {
		return "" // servers run as the same user
	}
	for at := p.path; at != "/"; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && info.Mode().Perm()&0o001 == 0 {
			dir = at
		}
	}
	return dir
}
