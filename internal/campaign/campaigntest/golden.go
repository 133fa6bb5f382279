package campaigntest

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// kept is the golden store between runs.
type kept struct{ w *World }

func (k kept) Size(context.Context) (count int, bytes int64, err error) {
	k.w.mu.Lock()
	defer k.w.mu.Unlock()
	return len(k.w.state.notes), 0, nil
}

func (k kept) Remove(context.Context) (int, error) {
	k.w.mu.Lock()
	defer k.w.mu.Unlock()
	n := len(k.w.state.notes)
	clear(k.w.state.notes)
	for path, v := range k.w.state.volumes {
		if v.kept {
			delete(k.w.state.volumes, path)
		}
	}
	return n, nil
}

func (p *local) Golden(_ context.Context, key string) (platform.Golden, bool, error) {
	if err := p.w.call("Golden", key); err != nil {
		return platform.Golden{}, false, err
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	note, ok := p.w.state.notes[key]
	if !ok {
		return platform.Golden{}, false, nil
	}
	g := platform.Golden{Key: key, Note: note, Sources: map[string]string{}}
	for path, v := range p.w.state.volumes {
		if v.kept && filepath.Dir(path) == filepath.Join(p.env.Cache, key) {
			g.Sources[filepath.Base(path)] = path
		}
	}
	return g, true, nil
}

func (p *local) MakeGolden(ctx context.Context, key string, claims []storage.Claim, fill func(map[string]storage.Volume) ([]byte, error)) (platform.Golden, error) {
	if err := p.w.call("MakeGolden", key); err != nil {
		return platform.Golden{}, err
	}
	building := filepath.Join(p.env.Cache, journal.Name(p.env.RunID, "golden", key))
	volumes := map[string]storage.Volume{}
	defer func() {
		for _, v := range volumes {
			_ = p.w.unmake(p.env.Journal, v.Path)
		}
	}()
	for _, c := range claims {
		name := c.Name
		v, err := p.w.make(p.env.Journal, filepath.Join(building, name), newVolume())
		if err != nil {
			return platform.Golden{}, err
		}
		volumes[name] = v
	}
	note, err := fill(volumes)
	if err != nil {
		return platform.Golden{}, err
	}
	p.w.keep(filepath.Join(p.env.Cache, key), key, note, volumes)
	g, ok, err := p.Golden(ctx, key)
	if err == nil && !ok {
		err = fmt.Errorf("golden volume %s is gone", key)
	}
	return g, err
}

// keep keeps copies of volumes.
func (w *World) keep(dir, key string, note []byte, volumes map[string]storage.Volume) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, v := range volumes {
		same := w.state.volumes[v.Path].copy()
		same.kept = true
		w.state.volumes[filepath.Join(dir, name)] = same
	}
	w.state.notes[key] = note
}

// make makes a volume.
func (w *World) make(j *journal.Journal, path string, v *volume) (storage.Volume, error) {
	o := journal.Object{Kind: journal.Mount, Path: path}
	if err := j.Making(o); err != nil {
		return storage.Volume{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.volumes[path] != nil {
		return storage.Volume{}, fmt.Errorf("volume %s is there already", path)
	}
	w.state.volumes[path] = v
	return storage.Volume{Name: filepath.Base(path), Path: path}, nil
}

// unmake removes a volume that no server uses.
func (w *World) unmake(j *journal.Journal, path string) error {
	if user := w.userOf(path); user != "" {
		return fmt.Errorf("volume %s is in use by %s", path, user)
	}
	w.mu.Lock()
	delete(w.state.volumes, path)
	w.mu.Unlock()
	return j.Removed(journal.Object{Kind: journal.Mount, Path: path})
}

func (w *World) userOf(path string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for at, served := range w.state.serving {
		if served == path {
			return strings.TrimPrefix(at, address(""))
		}
	}
	return ""
}
