// Package volumes keeps the volumes of a storage class that are directories of
// one file system: makes them empty or as clones of a golden one, deletes and
// settles them. It takes a directory and gives paths in it.
package volumes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/clone"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
)

// Set is the volumes in one directory. It is safe for concurrent use.
type Set struct {
	home    string
	owner   storage.Owner
	reflink bool

	mu     sync.Mutex
	golden map[string]*source
}

// source is where clones of a golden volume are taken from.
type source struct {
	once sync.Once
	path string
	err  error
}

// New makes the directories of volumes and golden copies. reflink is whether the file
// system shares blocks between files.
func New(home string, owner storage.Owner, reflink bool) (*Set, error) {
	for _, dir := range []string{"volumes", "golden"} {
		if err := safefile.Make(filepath.Join(home, dir), 0o711); err != nil {
			return nil, fmt.Errorf("make the directory of the volumes: %w", err)
		}
	}
	return &Set{home: home, owner: owner, reflink: reflink, golden: map[string]*source{}}, nil
}

// ownerOf is whom a volume is given to: only root may give files away.
func (s *Set) ownerOf(claim storage.Claim) (uid, gid int) {
	if os.Geteuid() != 0 {
		return clone.Keep, clone.Keep
	}
	return s.owner.For(claim)
}

// Import brings a golden directory in, once per key. Where blocks can be
// shared it is copied to this file system, so that every clone is free;
// elsewhere a second copy would only cost space, and clones are made from the
// source itself.
func (s *Set) Import(ctx context.Context, key, from string) error {
	if err := plain(key); err != nil {
		return err
	}
	s.mu.Lock()
	g := s.golden[key]
	if g == nil {
		g = &source{}
		s.golden[key] = g
	}
	s.mu.Unlock()
	g.once.Do(func() { g.path, g.err = s.bring(ctx, key, from) })
	if g.err != nil {
		s.forget(key, g) // the next call tries again
	}
	return g.err
}

func (s *Set) forget(key string, g *source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.golden[key] == g {
		delete(s.golden, key)
	}
}

func (s *Set) bring(ctx context.Context, key, from string) (string, error) {
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return "", fmt.Errorf("import the golden volume %s: %s is not a directory", key, from)
	}
	if !s.reflink {
		return from, nil
	}
	to := filepath.Join(s.home, "golden", key)
	if err := clone.Remove(to); err != nil { // of an attempt that failed
		return "", err
	}
	if _, err := clone.Tree(ctx, from, to, clone.Options{UID: os.Geteuid(), GID: os.Getegid()}); err != nil {
		return "", fmt.Errorf("import the golden volume %s: %w", key, errors.Join(err, clone.Remove(to)))
	}
	return to, nil
}

// Provision makes an empty volume.
func (s *Set) Provision(claim storage.Claim) (storage.Volume, error) {
	v, err := s.volume(claim)
	if err != nil {
		return v, err
	}
	uid, gid := s.ownerOf(claim)
	if err := safefile.MakeFor(v.Path, 0o700, uid, gid); err != nil {
		return v, fmt.Errorf("make volume %s: %w", v.Name, err)
	}
	return v, nil
}

// Clone makes a volume from a golden one. A clone that fails leaves nothing.
func (s *Set) Clone(ctx context.Context, key string, claim storage.Claim) (storage.Volume, error) {
	v, err := s.volume(claim)
	if err != nil {
		return v, err
	}
	s.mu.Lock()
	g := s.golden[key]
	s.mu.Unlock()
	if g == nil || g.path == "" {
		return v, fmt.Errorf("clone volume %s: golden volume %q has not been imported", v.Name, key)
	}
	if _, err := os.Lstat(v.Path); !errors.Is(err, fs.ErrNotExist) {
		return v, fmt.Errorf("clone volume %s: %s already exists", v.Name, v.Path)
	}
	uid, gid := s.ownerOf(claim)
	if _, err := clone.Tree(ctx, g.path, v.Path, clone.Options{UID: uid, GID: gid, Unshared: claim.Unshared}); err != nil {
		return v, errors.Join(err, clone.Remove(v.Path))
	}
	return v, nil
}

// Delete removes a volume; one that is gone already is as good.
func (s *Set) Delete(v storage.Volume) error {
	own, err := s.volume(storage.Claim{Name: v.Name})
	if err != nil {
		return err
	}
	if v.Path != own.Path {
		return fmt.Errorf("delete volume %s: %s is not a volume of this class", v.Name, v.Path)
	}
	return clone.Remove(v.Path)
}

func (s *Set) volume(c storage.Claim) (storage.Volume, error) {
	return storage.Volume{Name: c.Name, Path: filepath.Join(s.home, "volumes", c.Name)}, errors.Join(plain(c.Name), c.Of(endpoint.Directory))
}

// plain refuses names that would lead out of the directory.
func plain(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return fmt.Errorf("%q is not a valid volume name: use letters, digits and hyphens", name)
	}
	return nil
}
