package campaign

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// golden makes and remembers golden volumes: a data set loaded once per
// engine, size and configuration, checked, stopped cleanly and then cloned for
// every instance. They are kept in the cache between runs.
type golden struct {
	c    *Campaign
	made map[string]goldenVolume
}

// goldenVolume is golden.json beside the data, readable by its owner alone
// because it holds the passwords that the data carries.
type goldenVolume struct {
	Key          string           `json:"key"`
	Dataset      string           `json:"dataset"`
	Database     string           `json:"database"`
	User         string           `json:"user"`
	Password     string           `json:"password"`
	Admin        string           `json:"admin_password"`
	Installation app.Installation `json:"installation"`
	Made         time.Time        `json:"made"`
	Took         time.Duration    `json:"took"`
	dir          string
}

// goldenFile marks a golden volume that is complete; when it was last used is
// its time of modification.
const goldenFile = "golden.json"

// data is the directory that is cloned.
func (g goldenVolume) data() string { return filepath.Join(g.dir, "data") }

// config is what an instance of the variant on the volume is like.
func (g goldenVolume) config(v study.Variant, name string) app.Config {
	return app.Config{
		Name:     name,
		Limits:   app.Limits{CPU: v.Engine.CPU, Memory: int64(v.Engine.Memory)},
		Settings: v.Engine.Settings,
		Users:    v.Load.Users,
		Database: g.Database, User: g.User, Password: g.Password, AdminPassword: g.Admin,
	}
}

// get gives the golden volume of a variant, making it if it is neither in this
// run nor in the cache.
func (g *golden) get(ctx context.Context, v study.Variant, seed uint64) (goldenVolume, error) {
	engine, ok := g.c.parts.Engines[v.Engine.Name]
	if !ok {
		return goldenVolume{}, fmt.Errorf("unknown engine %q", v.Engine.Name)
	}
	in, err := engine.Find(ctx, v.Engine.Version, g.c.o.Fetch)
	if err != nil {
		return goldenVolume{}, err
	}
	w, params, err := g.c.workload(v)
	if err != nil {
		return goldenVolume{}, err
	}
	role := w.Roles(params)[0].Name
	set := w.Dataset(params, workload.Kinds{role: engine.Kind()}, seed)
	key := goldenKey(in, set.Key, v)
	if have, ok := g.made[key]; ok {
		return have, nil
	}
	have, err := readGolden(filepath.Join(g.c.o.Cache, key), key)
	if errors.Is(err, fs.ErrNotExist) {
		have, err = g.make(ctx, engine, in, v, w, params, set, key, seed)
	}
	if err != nil {
		return goldenVolume{}, fmt.Errorf("golden volume of %s on %s %s: %w", set.Description, v.Engine.Name, in.Version, err)
	}
	g.made[key] = have
	return have, nil
}

// goldenLayout changes with what volumes hold besides the data set: checksums,
// extensions, accounts. A cached volume of another layout is not used.
const goldenLayout = 4

func goldenKey(in app.Installation, dataset string, v study.Variant) string {
	layout, _ := json.Marshal(struct {
		Layout   int
		In       app.Installation
		Dataset  string
		Memory   study.Bytes
		Settings map[string]string
	}{goldenLayout, in, dataset, v.Engine.Memory, v.Engine.Settings}) // plain data always marshals
	sum := sha256.Sum256(layout)
	return fmt.Sprintf("%s-%s-%s", in.Engine, in.Version, hex.EncodeToString(sum[:6]))
}

func readGolden(dir, key string) (goldenVolume, error) {
	var have goldenVolume
	text, err := os.ReadFile(filepath.Join(dir, goldenFile))
	if err != nil {
		return have, err
	}
	if err := json.Unmarshal(text, &have); err != nil || have.Key != key {
		return have, fmt.Errorf("%s is damaged; remove it: rm -r %s", dir, dir)
	}
	have.dir = dir
	now := time.Now()
	if err := os.Chtimes(filepath.Join(dir, goldenFile), now, now); err != nil {
		return have, fmt.Errorf("mark the golden volume as used: %w", err)
	}
	return have, nil
}

// make builds the volume in the scratch directory and moves it to the cache
// when it is whole.
func (g *golden) make(ctx context.Context, engine app.Engine, in app.Installation, v study.Variant,
	w workload.Workload, params workload.Parameters, set workload.Dataset, key string, seed uint64) (goldenVolume, error) {
	g.c.say(Event{Kind: Stage, Text: "create the golden volume: " + set.Description + " on " + v.Engine.Name + " " + in.Version})
	have := goldenVolume{Key: key, Dataset: set.Description, Database: set.Database, User: set.User, Password: secret(), Admin: secret(), Installation: in, Made: time.Now()}
	building := journal.Object{Kind: journal.Directory, Path: filepath.Join(g.c.o.Cache, journal.Name(g.c.journal.RunID, "golden", key))}
	if err := g.c.journal.Making(building); err != nil {
		return have, err
	}
	have.dir = building.Path
	if err := g.makeDirectory(have); err != nil {
		return have, err
	}
	volume := storage.Volume{Name: "golden", Path: have.data()}
	config := have.config(v, "golden-"+key)
	if err := g.fill(ctx, engine, in, config, volume, w, params, seed); err != nil {
		return have, errors.Join(err, os.RemoveAll(building.Path), g.c.journal.Removed(building))
	}
	have.Took = time.Since(have.Made)
	return g.keep(have, building)
}

func (g *golden) makeDirectory(have goldenVolume) error {
	if err := os.MkdirAll(g.c.o.Cache, 0o711); err != nil {
		return fmt.Errorf("create the cache of golden volumes: %w; choose another place with --cache", err)
	}
	if err := os.Mkdir(have.dir, 0o711); err != nil {
		return err
	}
	if err := os.Mkdir(have.data(), 0o700); err != nil {
		return err
	}
	uid, gid := g.c.platform.User()
	return os.Chown(have.data(), uid, gid)
}

// fill initialises, starts, loads and stops the server. It gets no CPU or
// memory limit: loading is preparation, not measurement.
func (g *golden) fill(ctx context.Context, engine app.Engine, in app.Installation, config app.Config,
	volume storage.Volume, w workload.Workload, params workload.Parameters, seed uint64) error {
	for _, step := range engine.Initialise(in, config) {
		if err := g.c.platform.Run(ctx, step, volume); err != nil {
			return fmt.Errorf("initialise: %w", err)
		}
	}
	server := engine.Server(in, config)
	server.Limits = app.Limits{}
	process, err := g.c.platform.Start(ctx, server, volume)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	loadErr := w.Prepare(ctx, g.target(w, params, config.AsAdmin(process.Endpoint())), params, seed, g.c.progress("load the data set"))
	patient, cancel := g.c.patient(ctx)
	defer cancel()
	return errors.Join(loadErr, process.Stop(patient))
}

// target is the golden instance as its workload sees it.
func (g *golden) target(w workload.Workload, params workload.Parameters, e workload.Endpoint) workload.Target {
	e.Role = w.Roles(params)[0].Name
	return workload.Target{Endpoints: []workload.Endpoint{e}}
}

func (g *golden) keep(have goldenVolume, building journal.Object) (goldenVolume, error) {
	text, err := json.MarshalIndent(have, "", "  ")
	if err != nil {
		return have, err
	}
	if err := os.WriteFile(filepath.Join(have.dir, goldenFile), text, 0o600); err != nil {
		return have, err
	}
	if err := own(have.data()); err != nil {
		return have, fmt.Errorf("keep the golden volume: %w", err)
	}
	final := filepath.Join(g.c.o.Cache, have.Key)
	if err := os.Rename(have.dir, final); err != nil {
		return g.another(have, building, final, err)
	}
	have.dir = final
	return have, g.c.journal.Removed(building)
}

// own makes a tree this process's: it outlives the run, and whoever its servers
// ran as may be somebody else tomorrow. Clones are given to theirs.
func own(root string) error {
	return filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, os.Geteuid(), os.Getegid())
	})
}

// another takes the volume that another run has made meanwhile.
func (g *golden) another(mine goldenVolume, building journal.Object, final string, cause error) (goldenVolume, error) {
	have, err := readGolden(final, mine.Key)
	if err != nil {
		return mine, errors.Join(fmt.Errorf("keep the golden volume: %w", cause), err)
	}
	return have, errors.Join(os.RemoveAll(building.Path), g.c.journal.Removed(building))
}

// secret makes a password of 128 random bits.
func secret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// workload gives the workload of a variant and its typed parameters.
func (c *Campaign) workload(v study.Variant) (workload.Workload, workload.Parameters, error) {
	w, err := c.parts.Workloads.Get(v.Workload.Name)
	if err != nil {
		return nil, nil, err
	}
	p, ok := v.Workload.Parameters.(workload.Parameters)
	if !ok {
		return nil, nil, fmt.Errorf("the parameters of workload %s have type %T", v.Workload.Name, v.Workload.Parameters)
	}
	return w, p, nil
}
