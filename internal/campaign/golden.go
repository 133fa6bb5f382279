package campaign

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
	"plimsoll/internal/workload"
)

// golden makes and remembers golden volumes: a data set loaded once per
// stack, size and configuration, checked, stopped cleanly and then cloned for
// every instance. They are kept between runs.
type golden struct {
	c    *Campaign
	made map[string]dataset
	// tried counts attempts on classes: of one that failed something may be left.
	tried map[string]int
}

// dataset is the data that the instances of a variant are filled with, and the accounts in it. It
// is stored next to the golden volumes; if every instance is prepared by itself, there are none.
type dataset struct {
	Key         string            `json:"key"`
	Description string            `json:"dataset"`
	Password    string            `json:"password"`
	Admin       string            `json:"admin_password"`
	Made        time.Time         `json:"made"`
	Took        time.Duration     `json:"took"`
	set         workload.Dataset  // the workload's description of the data
	sources     map[string]string // by slot, for storage.Class.Import
	classes     []storage.Class   // whose volumes the sources are; none for the platform's
	by          string            // how instances get it, see result.Provisioning
	why         string            // they are prepared in place
	borrowed    map[string]access // to existing servers, by role
}

func (d dataset) inPlace() bool { return d.by == result.InPlace }

// volumeKey names the golden volume of a slot for a storage class.
func (d dataset) volumeKey(slot string) string { return d.Key + "-" + slot }

// config returns the configuration of one server of an instance. The roles of the whole instance
// are given in all.
func (d dataset) config(m filledRole, all []filledRole, v study.Variant, name string) app.Config {
	database, user := d.set.Login(m.role)
	return app.Config{
		Name:     name,
		Limits:   app.Limits{CPU: float64(m.spec.CPU), Memory: int64(m.spec.Memory)},
		Settings: m.spec.Settings,
		Users:    connectionsFor(m, all, v),
		Content:  m.role.Content,
		Database: database, User: user, Password: d.Password, AdminPassword: d.Admin,
	}
}

// get gives the data set of a variant, making its golden volumes if they are
// neither in this run nor kept. Only the roles that keep data take part.
func (g *golden) get(ctx context.Context, v study.Variant, roles []filledRole, on []placedStorage) (dataset, error) {
	all, roles := roles, loaded(roles)
	w, params, err := g.c.parts.workload(v)
	if err != nil {
		return dataset{}, err
	}
	set := w.Dataset(params, kindsOf(roles), g.c.o.Plan.Study.Seed)
	if inPlace(roles, set) || !onDirectories(roles) {
		return newInPlace(set, all)
	}
	want := wantedData{v, roles, set, goldenKey(roles, set.Key()), storagesUsed(v, on, roles)}
	own, others := want.split()
	switch {
	case len(own) == 0:
		return g.once(want, want.key, nil, func() (dataset, error) { return g.kept(ctx, want) })
	case len(others) > 0:
		// Golden volumes of the platform outlive the run; golden volumes of a storage class do
		// not.
		have, err := newInPlace(set, all)
		have.why = fmt.Sprintf("storage %s clones none but its own volumes, and storage %s none of its own", own[0].name, others[0].name)
		return have, err
	}
	return g.ofClasses(ctx, want)
}

// wantedData is a data set that is to lie on golden volumes.
type wantedData struct {
	variant  study.Variant
	roles    []filledRole
	set      workload.Dataset
	key      string
	storages []placedStorage // storages that its volumes lie on
}

// split parts the storages that clone none but their own volumes from the others.
func (w wantedData) split() (own, others []placedStorage) {
	for _, s := range w.storages {
		if s.Capabilities().Clones != nil {
			own = append(own, s)
		} else {
			others = append(others, s)
		}
	}
	return own, others
}

// once makes a data set unless the run has it. Golden volumes on storage classes are
// made again if one of these has been replaced.
func (g *golden) once(w wantedData, key string, on []storage.Class, of func() (dataset, error)) (dataset, error) {
	if have, ok := g.made[key]; ok && slices.Equal(have.classes, on) {
		return have, nil
	}
	have, err := of()
	if err != nil {
		return dataset{}, fmt.Errorf("golden volume of %s on %s: %w", w.set.Description, named(w.roles), err)
	}
	have.classes, have.set = on, w.set
	g.made[key] = have
	return have, nil
}

// ofClasses gives a data set on classes that clone none but their own volumes, if any. Where
// one of several does not, every instance is prepared by itself: the volumes of a data
// set belong together.
func (g *golden) ofClasses(ctx context.Context, w wantedData) (dataset, error) {
	var ways, keys []string
	var classes []storage.Class
	for _, s := range w.storages {
		by, whyNot, err := s.Capabilities().Clones(ctx)
		if err != nil {
			return dataset{}, fmt.Errorf("find out whether storage class %s clones volumes: %w", s.name, err)
		}
		if by == "" {
			have, err := newInPlace(w.set, w.roles)
			have.why = whyNot
			return have, err
		}
		if !slices.Contains(ways, by) {
			ways = append(ways, by)
		}
		keys, classes = append(keys, s.spec.Key(s.name)), append(classes, s.Class)
	}
	key := strings.Join(append(keys, w.key), "-")
	have, err := g.once(w, key, classes, func() (dataset, error) {
		g.tried[key]++
		return g.onClasses(ctx, w, fmt.Sprintf("%s-%d", key, g.tried[key]))
	})
	have.by = words.Join(ways)
	return have, err
}

// kept gives a data set that the platform keeps, which it may have to make.
func (g *golden) kept(ctx context.Context, w wantedData) (dataset, error) {
	kept, ok, err := g.c.platform.Golden(ctx, w.key)
	if err == nil && !ok {
		kept, err = g.make(ctx, w)
	}
	if err != nil {
		return dataset{}, err
	}
	return noted(kept)
}

// newDataset has accounts of its own.
func newDataset(set workload.Dataset, key string) dataset {
	return dataset{
		Key: key, Description: set.Description, set: set,
		Password: secret(), Admin: secret(), Made: time.Now(),
	}
}

// newInPlace is a data set without golden volumes.
func newInPlace(set workload.Dataset, roles []filledRole) (dataset, error) {
	d := newDataset(set, "")
	d.by, d.borrowed = result.InPlace, map[string]access{}
	for _, m := range roles {
		if m.spec.Existing == nil {
			continue
		}
		by, err := accessTo(*m.spec.Existing)
		if err != nil {
			return d, err
		}
		d.borrowed[m.role.Name] = by
	}
	return d, nil
}

// goldenLayout changes with what volumes hold besides the data set: checksums,
// extensions, accounts. A kept volume of another layout is not used.
const goldenLayout = 7

// goldenKey depends on all that the contents of the volumes depend on.
func goldenKey(roles []filledRole, dataset string) string {
	type part struct {
		Role     string
		In       app.Installation
		Count    int
		Memory   unit.Bytes
		Settings map[string]string
		Mounts   []string `json:",omitempty"` // except the first
	}
	var parts []part
	for _, m := range roles {
		one := part{m.role.Name, m.by.installed(), m.copies(), m.spec.Memory, m.spec.Settings, nil}
		for n, mount := range m.mounts() {
			if n > 0 {
				one.Mounts = append(one.Mounts, mount.Name)
			}
		}
		parts = append(parts, one)
	}
	layout, _ := json.Marshal(struct {
		Layout  int
		Parts   []part
		Dataset string
	}{goldenLayout, parts, dataset}) // plain data always marshals
	sum := sha256.Sum256(layout)
	return strings.ReplaceAll(named(roles), " ", "-") + "-" + hex.EncodeToString(sum[:6])
}

// named lists the servers that are started, with their versions.
func named(roles []filledRole) string {
	var names []string
	for _, m := range roles {
		if name := m.by.installed(); name.Engine != "" {
			names = append(names, strings.TrimSpace(name.Engine+" "+name.Version)) // a plan may not know it
		}
	}
	if len(names) == 0 {
		return "volumes"
	}
	return strings.Join(names, " ")
}

// noted reads what was noted of golden volumes.
func noted(kept platform.Golden) (dataset, error) {
	have := dataset{sources: kept.Sources, by: result.Cloned}
	if err := json.Unmarshal(kept.Note, &have); err != nil || have.Key != kept.Key {
		return have, fmt.Errorf("the note of %s is damaged; make it anew after: plimsoll clean --golden", kept.Key)
	}
	return have, nil
}

// instance is the one whose volumes are to become golden; name is unique in the run.
func (g *golden) instance(w wantedData, name string) (*instance, error) {
	g.c.say(Event{Kind: Stage, Text: "create the golden volume: " + w.set.Description + " on " + named(w.roles)})
	v := w.variant
	v.Deployment = study.Bare // however its clones are deployed
	m := &member{t: &trial{c: g.c, variant: v}, variant: v, roles: w.roles, golden: newDataset(w.set, w.key)}
	i, err := m.newInstance(0)
	if err != nil {
		return nil, err
	}
	i.name = "golden-" + name
	for _, s := range i.servers {
		s.name = i.name + "-" + s.slot
		for n, h := range s.ownVolumes {
			if h.name = i.name + "-" + h.slot; n > 0 {
				h.first = s.name
			}
		}
	}
	return i, nil
}

// onClasses makes golden volumes on storage classes that clone none but their own. Of
// those that fail nothing is left.
func (g *golden) onClasses(ctx context.Context, w wantedData, name string) (dataset, error) {
	i, err := g.instance(w, name)
	if err != nil {
		return dataset{}, err
	}
	for _, s := range i.servers {
		for _, h := range s.ownVolumes {
			h.storage = storageOf(w.variant, w.storages, s.role.Name, h.Name)
		}
	}
	volumes, err := provisioned(ctx, i)
	if err == nil {
		err = g.fill(ctx, i, volumes)
	}
	have := i.member.golden
	have.Took, have.sources = time.Since(have.Made), map[string]string{}
	for slot, volume := range volumes {
		have.sources[slot] = volume.Name
	}
	if err != nil {
		patient, cancel := g.c.patient(ctx)
		defer cancel()
		for _, h := range i.allHeld() {
			if volume, ok := volumes[h.slot]; ok {
				err = errors.Join(err, h.storage.Delete(patient, volume))
			}
		}
	}
	return have, err
}

// provisioned are new volumes for an instance by slot, each on its storage: those that
// were made before one failed as well.
func provisioned(ctx context.Context, i *instance) (map[string]storage.Volume, error) {
	volumes := map[string]storage.Volume{}
	for _, h := range i.allHeld() {
		v, err := h.storage.Provision(ctx, h.claim())
		if err != nil {
			return volumes, err
		}
		volumes[h.slot] = v
	}
	return volumes, nil
}

// make has the platform keep new golden volumes.
func (g *golden) make(ctx context.Context, w wantedData) (platform.Golden, error) {
	i, err := g.instance(w, w.key)
	if err != nil {
		return platform.Golden{}, err
	}
	have := i.member.golden
	var claims []storage.Claim
	for _, s := range i.servers {
		for n, h := range s.ownVolumes {
			claim := storage.Claim{Name: h.slot}
			if n > 0 {
				claim.With = s.slot
			}
			claims = append(claims, claim)
		}
	}
	return g.c.platform.MakeGolden(ctx, w.key, claims, func(volumes map[string]storage.Volume) ([]byte, error) {
		if err := g.fill(ctx, i, volumes); err != nil {
			return nil, err
		}
		have.Took = time.Since(have.Made)
		return json.MarshalIndent(have, "", "  ")
	})
}

// fill initialises, starts, loads and stops the servers of an instance. They get
// no limits: loading is preparation, not measurement.
func (g *golden) fill(ctx context.Context, i *instance, volumes map[string]storage.Volume) error {
	err := i.eachServer(func(s *server) error {
		for _, h := range s.ownVolumes {
			s.take(h, volumes[h.slot])
		}
		return s.lay(ctx)
	})
	if err == nil {
		err = i.prepareBy(ctx, i.name+"-load", job.Prepare{})
	}
	patient, cancel := g.c.patient(ctx)
	defer cancel()
	return errors.Join(err, i.stop(patient))
}

// secret makes a password of 128 random bits.
func secret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// workload gives the workload of a variant and its typed parameters.
func (p Parts) workload(v study.Variant) (workload.Workload, workload.Parameters, error) {
	w, err := p.Workloads.Get(v.Workload.Name)
	if err != nil {
		return nil, nil, err
	}
	params, ok := v.Workload.Parameters.(workload.Parameters)
	if !ok {
		return nil, nil, fmt.Errorf("the parameters of workload %s have type %T", v.Workload.Name, v.Workload.Parameters)
	}
	return w, params, nil
}
