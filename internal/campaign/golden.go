package campaign

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
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

// goldenVolume is what is noted beside the data. It holds the passwords that the
// data carries.
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
	source       string           // for storage.Class.Import
}

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
	kept, ok, err := g.c.platform.Golden(ctx, key)
	if err == nil && !ok {
		kept, err = g.make(ctx, engine, in, v, role, set, key)
	}
	var have goldenVolume
	if err == nil {
		have, err = noted(kept)
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

// noted reads what was noted of a golden volume.
func noted(kept platform.Golden) (goldenVolume, error) {
	have := goldenVolume{source: kept.Source}
	if err := json.Unmarshal(kept.Note, &have); err != nil || have.Key != kept.Key {
		return have, fmt.Errorf("the note of %s is damaged; make it anew after: plimsoll clean --golden", kept.Key)
	}
	return have, nil
}

// make has the platform keep a new golden volume.
func (g *golden) make(ctx context.Context, engine app.Engine, in app.Installation, v study.Variant,
	role string, set workload.Dataset, key string) (platform.Golden, error) {
	g.c.say(Event{Kind: Stage, Text: "create the golden volume: " + set.Description + " on " + v.Engine.Name + " " + in.Version})
	have := goldenVolume{Key: key, Dataset: set.Description, Database: set.Database, User: set.User, Password: secret(), Admin: secret(), Installation: in, Made: time.Now()}
	return g.c.platform.MakeGolden(ctx, key, func(volume storage.Volume) ([]byte, error) {
		if err := g.fill(ctx, engine, v, have, role, volume); err != nil {
			return nil, err
		}
		have.Took = time.Since(have.Made)
		return json.MarshalIndent(have, "", "  ")
	})
}

// fill initialises, starts, loads and stops the server. It gets no CPU or
// memory limit: loading is preparation, not measurement.
func (g *golden) fill(ctx context.Context, engine app.Engine, v study.Variant, have goldenVolume, role string, volume storage.Volume) error {
	config := have.config(v, "golden-"+have.Key)
	for _, step := range engine.Initialise(have.Installation, config) {
		if err := g.c.platform.Run(ctx, step, volume); err != nil {
			return fmt.Errorf("initialise: %w", err)
		}
	}
	server := engine.Server(have.Installation, config)
	server.Limits = app.Limits{}
	process, err := g.c.platform.Start(ctx, server, volume)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	admin := config.AsAdmin(process.Endpoint())
	admin.Role = role
	loadErr := g.c.prepare(ctx, config.Name+"-load", v, workload.Target{Endpoints: []workload.Endpoint{admin}})
	patient, cancel := g.c.patient(ctx)
	defer cancel()
	return errors.Join(loadErr, process.Stop(patient))
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
