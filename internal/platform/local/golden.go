package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// A golden volume is a directory in the cache, named by its key, that holds the
// data and, when it is complete, a file with its maker's note; when it was last
// used is that file's time of modification.
const (
	goldenFile = "golden.json"
	goldenData = "data"
)

// Golden finds a golden volume in the cache.
func (l *Local) Golden(_ context.Context, key string) (platform.Golden, bool, error) {
	if err := l.canKeep(key); err != nil {
		return platform.Golden{}, false, err
	}
	g, err := readGolden(filepath.Join(l.env.Cache, key), key)
	if errors.Is(err, fs.ErrNotExist) {
		return g, false, nil
	}
	return g, err == nil, err
}

func (l *Local) canKeep(key string) error {
	if l.env.Cache == "" {
		return errors.New("this platform has no golden store")
	}
	return checkName(key)
}

func readGolden(dir, key string) (platform.Golden, error) {
	g := platform.Golden{Key: key, Sources: map[string]string{}}
	mark := filepath.Join(dir, goldenFile)
	var err error
	if g.Note, err = os.ReadFile(mark); err != nil {
		return g, fmt.Errorf("read the golden volume: %w", err)
	}
	volumes, err := os.ReadDir(filepath.Join(dir, goldenData))
	if err != nil {
		return g, fmt.Errorf("read the golden volume: %w", err)
	}
	for _, v := range volumes {
		g.Sources[v.Name()] = filepath.Join(dir, goldenData, v.Name())
	}
	now := time.Now()
	if err := os.Chtimes(mark, now, now); err != nil {
		return g, fmt.Errorf("mark the golden volume as used: %w", err)
	}
	return g, nil
}

// MakeGolden builds the volumes in a temporary directory of the cache and renames it when
// they are complete.
func (l *Local) MakeGolden(_ context.Context, key string, claims []storage.Claim, fill func(map[string]storage.Volume) ([]byte, error)) (platform.Golden, error) {
	if err := l.canKeep(key); err != nil {
		return platform.Golden{}, err
	}
	building := journal.Object{Kind: journal.Directory, Path: filepath.Join(l.env.Cache, journal.Name(l.env.RunID, "golden", key))}
	if err := l.env.Journal.Making(building); err != nil {
		return platform.Golden{}, err
	}
	if err := l.build(building.Path, claims, fill); err != nil {
		return platform.Golden{}, errors.Join(err, os.RemoveAll(building.Path), l.env.Journal.Removed(building))
	}
	final := filepath.Join(l.env.Cache, key)
	// When it fails, another run may have been faster, and its volume serves.
	renameErr := os.Rename(building.Path, final)
	g, err := readGolden(final, key)
	if err != nil {
		err = fmt.Errorf("keep the golden volume: %w", errors.Join(renameErr, err))
	}
	return g, errors.Join(err, os.RemoveAll(building.Path), l.env.Journal.Removed(building))
}

// build fills a directory with golden volumes.
func (l *Local) build(dir string, claims []storage.Claim, fill func(map[string]storage.Volume) ([]byte, error)) error {
	data := filepath.Join(dir, goldenData)
	err := errors.Join(safefile.Make(dir, 0o711), safefile.Make(data, 0o711))
	volumes := map[string]storage.Volume{}
	for _, c := range claims {
		uid, gid := storage.Owner(l.User).For(c)
		v := storage.Volume{Name: c.Name, Path: filepath.Join(data, c.Name)}
		volumes[c.Name] = v
		if err == nil {
			err = errors.Join(checkName(c.Name), safefile.MakeFor(v.Path, 0o700, uid, gid))
		}
	}
	if err != nil {
		return fmt.Errorf("make golden volumes: %w", err)
	}
	note, err := fill(volumes)
	if err != nil {
		return err
	}
	if err := safefile.Write(filepath.Join(dir, goldenFile), note, 0o600); err != nil {
		return fmt.Errorf("keep the golden volume: %w", err)
	}
	// It outlives the run, and whoever its servers ran as may be given to another user
	// later. Clones are given to theirs.
	if err := safefile.GiveTree(data, os.Geteuid(), os.Getegid()); err != nil {
		return fmt.Errorf("keep the golden volume: %w", err)
	}
	return nil
}
