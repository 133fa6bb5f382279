package instance

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
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
	"plimsoll/internal/workload"
)

// Golden makes and remembers golden volumes: a data set loaded once per
// stack, size and configuration, checked, stopped cleanly and then cloned for
// every instance. They are kept between runs.
type Golden struct {
	env  *Env
	made map[string]Dataset
	// tried counts attempts on classes: of one that failed something may be left.
	tried map[string]int
}

// NewGolden has made none.
func NewGolden(env *Env) *Golden {
	return &Golden{env: env, made: map[string]Dataset{}, tried: map[string]int{}}
}

// Dataset is the data that the instances of a variant are filled with, and the accounts in it. It
// is stored next to the golden volumes; if every instance is prepared by itself, there are none.
type Dataset struct {
	Key         string                  `json:"key"`
	Description string                  `json:"dataset"`
	Password    string                  `json:"password"`
	Admin       string                  `json:"admin_password"`
	Made        time.Time               `json:"made"`
	Took        time.Duration           `json:"took"`
	set         workload.Dataset        // the workload's description of the data
	sources     map[string]string       // by slot, for storage.Class.Import
	classes     []storage.Class         // whose volumes the sources are; none for the platform's
	By          string                  `json:"-"` // how instances get it, see result.Provisioning
	Why         string                  `json:"-"` // they are prepared in place
	borrowed    map[string]facts.Access // to existing servers, by role
}

// InPlace reports whether every instance is prepared by itself.
func (d Dataset) InPlace() bool { return d.By == result.InPlace }

// volumeKey names the golden volume of a slot for a storage class.
func (d Dataset) volumeKey(slot string) string { return d.Key + "-" + slot }

// Get gives the data set of a variant, making its golden volumes if they are
// neither in this run nor kept. Only the roles that keep data take part.
func (g *Golden) Get(ctx context.Context, v study.Variant, roles []facts.Role, on []Storage) (Dataset, error) {
	all, roles := roles, facts.Loaded(roles)
	w, params, err := g.env.Parts.Workload(v)
	if err != nil {
		return Dataset{}, err
	}
	set := w.Dataset(params, facts.KindsOf(roles), g.env.Plan.Study.Seed)
	if facts.InPlace(roles, set) || !facts.OnDirectories(roles) {
		return newInPlace(set, all)
	}
	want := wantedData{v, roles, set, goldenKey(roles, set.Key()), storagesUsed(v, on, roles)}
	own, others := want.split()
	switch {
	case len(own) == 0:
		return g.once(want, want.key, nil, func() (Dataset, error) { return g.kept(ctx, want) })
	case len(others) > 0:
		// Golden volumes of the platform outlive the run; golden volumes of a storage class do
		// not.
		have, err := newInPlace(set, all)
		have.Why = fmt.Sprintf("storage %s clones none but its own volumes, and storage %s none of its own", own[0].Name, others[0].Name)
		return have, err
	}
	return g.ofClasses(ctx, want)
}

// wantedData is a data set that is to lie on golden volumes.
type wantedData struct {
	variant  study.Variant
	roles    []facts.Role
	set      workload.Dataset
	key      string
	storages []Storage // storages that its volumes lie on
}

// split parts the storages that clone none but their own volumes from the others.
func (w wantedData) split() (own, others []Storage) {
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
func (g *Golden) once(w wantedData, key string, on []storage.Class, of func() (Dataset, error)) (Dataset, error) {
	if have, ok := g.made[key]; ok && slices.Equal(have.classes, on) {
		return have, nil
	}
	have, err := of()
	if err != nil {
		return Dataset{}, fmt.Errorf("golden volume of %s on %s: %w", w.set.Description, facts.Named(w.roles), err)
	}
	have.classes, have.set = on, w.set
	g.made[key] = have
	return have, nil
}

// ofClasses gives a data set on classes that clone none but their own volumes, if any. Where
// one of several does not, every instance is prepared by itself: the volumes of a data
// set belong together.
func (g *Golden) ofClasses(ctx context.Context, w wantedData) (Dataset, error) {
	var ways, keys []string
	var classes []storage.Class
	for _, s := range w.storages {
		by, whyNot, err := s.Capabilities().Clones(ctx)
		if err != nil {
			return Dataset{}, fmt.Errorf("find out whether storage class %s clones volumes: %w", s.Name, err)
		}
		if by == "" {
			have, err := newInPlace(w.set, w.roles)
			have.Why = whyNot
			return have, err
		}
		if !slices.Contains(ways, by) {
			ways = append(ways, by)
		}
		keys, classes = append(keys, s.Spec.Key(s.Name)), append(classes, s.Class)
	}
	key := strings.Join(append(keys, w.key), "-")
	have, err := g.once(w, key, classes, func() (Dataset, error) {
		g.tried[key]++
		return g.onClasses(ctx, w, fmt.Sprintf("%s-%d", key, g.tried[key]))
	})
	have.By = words.Join(ways)
	return have, err
}

// kept gives a data set that the platform keeps, which it may have to make.
func (g *Golden) kept(ctx context.Context, w wantedData) (Dataset, error) {
	kept, ok, err := g.env.Platform.Golden(ctx, w.key)
	if err == nil && !ok {
		kept, err = g.make(ctx, w)
	}
	if err != nil {
		return Dataset{}, err
	}
	return noted(kept)
}

// newDataset has accounts of its own.
func newDataset(set workload.Dataset, key string) Dataset {
	return Dataset{
		Key: key, Description: set.Description, set: set,
		Password: secret(), Admin: secret(), Made: time.Now(),
	}
}

// newInPlace is a data set without golden volumes.
func newInPlace(set workload.Dataset, roles []facts.Role) (Dataset, error) {
	d := newDataset(set, "")
	d.By, d.borrowed = result.InPlace, map[string]facts.Access{}
	for _, m := range roles {
		if err := m.By.Access(m, d.borrowed); err != nil {
			return d, err
		}
	}
	return d, nil
}

// goldenLayout changes with what volumes hold besides the data set: checksums,
// extensions, accounts. A kept volume of another layout is not used.
const goldenLayout = 7

// goldenKey depends on all that the contents of the volumes depend on.
func goldenKey(roles []facts.Role, dataset string) string {
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
		one := part{m.Name, m.By.Installed(), m.Copies(), m.Spec.Memory, m.Spec.Settings, nil}
		for n, mount := range m.VolumeMounts() {
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
	return strings.ReplaceAll(facts.Named(roles), " ", "-") + "-" + hex.EncodeToString(sum[:6])
}

// noted reads what was noted of golden volumes.
func noted(kept platform.Golden) (Dataset, error) {
	have := Dataset{sources: kept.Sources, By: result.Cloned}
	if err := json.Unmarshal(kept.Note, &have); err != nil || have.Key != kept.Key {
		return have, fmt.Errorf("the note of %s is damaged; make it anew after: plimsoll clean --golden", kept.Key)
	}
	return have, nil
}

// instance is the one whose volumes are to become golden, which the platform makes unless they are
// on some storages; name is unique in the run.
func (g *Golden) instance(w wantedData, name string, on ...Storage) (*Instance, error) {
	g.env.Watch.Stage("create the golden volume: " + w.set.Description + " on " + facts.Named(w.roles))
	v := w.variant
	v.Deployment = study.Bare // however its clones are deployed
	a := &Application{Env: g.env, Variant: v, Roles: w.roles, Data: newDataset(w.set, w.key), Users: g.env.Plan.Study.Ladder.Load(v.Load, 0).Users}
	i, err := a.New(0)
	if err != nil {
		return nil, err
	}
	i.Name = "golden-" + name
	for _, s := range i.Servers {
		s.Name = i.Name + "-" + s.slot
		for n, h := range s.ownVolumes {
			if len(on) > 0 {
				h.Storage = storageOf(v, on, s.Role.Name, h.Name)
			}
			if h.name = i.Name + "-" + h.Slot; n > 0 {
				h.first = s.Name
			}
		}
	}
	return i, nil
}

// onClasses makes golden volumes on storage classes that clone none but their own. Of
// those that fail nothing is left.
func (g *Golden) onClasses(ctx context.Context, w wantedData, name string) (Dataset, error) {
	i, err := g.instance(w, name, w.storages...)
	if err != nil {
		return Dataset{}, err
	}
	volumes, err := provisioned(ctx, i)
	if err == nil {
		err = g.fill(ctx, i, volumes)
	}
	have := i.App.Data
	have.Took, have.sources = time.Since(have.Made), map[string]string{}
	for slot, volume := range volumes {
		have.sources[slot] = volume.Name
	}
	if err != nil {
		patient, cancel := g.env.Clock.Patient(ctx)
		defer cancel()
		for _, h := range i.allHeld() {
			if volume, ok := volumes[h.Slot]; ok {
				err = errors.Join(err, h.Storage.Delete(patient, volume))
			}
		}
	}
	return have, err
}

// provisioned are new volumes for an instance by slot, each on its storage: those that
// were made before one failed as well.
func provisioned(ctx context.Context, i *Instance) (map[string]storage.Volume, error) {
	volumes := map[string]storage.Volume{}
	for _, h := range i.allHeld() {
		v, err := h.Storage.Provision(ctx, h.claim())
		if err != nil {
			return volumes, err
		}
		volumes[h.Slot] = v
	}
	return volumes, nil
}

// make has the platform keep new golden volumes.
func (g *Golden) make(ctx context.Context, w wantedData) (platform.Golden, error) {
	i, err := g.instance(w, w.key)
	if err != nil {
		return platform.Golden{}, err
	}
	have := i.App.Data
	var claims []storage.Claim
	for _, s := range i.Servers {
		for n, h := range s.ownVolumes {
			claim := storage.Claim{Name: h.Slot}
			if n > 0 {
				claim.With = s.slot
			}
			claims = append(claims, claim)
		}
	}
	return g.env.Platform.MakeGolden(ctx, w.key, claims, func(volumes map[string]storage.Volume) ([]byte, error) {
		if err := g.fill(ctx, i, volumes); err != nil {
			return nil, err
		}
		have.Took = time.Since(have.Made)
		return json.MarshalIndent(have, "", "  ")
	})
}

// fill initialises, starts, loads and stops the servers of an instance. They get
// no limits: loading is preparation, not measurement.
func (g *Golden) fill(ctx context.Context, i *Instance, volumes map[string]storage.Volume) error {
	err := i.EachServer(func(s *Server) error {
		for _, h := range s.ownVolumes {
			s.take(h, volumes[h.Slot])
		}
		return s.lay(ctx)
	})
	if err == nil {
		err = i.prepareBy(ctx, i.Name+"-load", job.Prepare{})
	}
	patient, cancel := g.env.Clock.Patient(ctx)
	defer cancel()
	return errors.Join(err, i.Stop(patient))
}

// secret makes a password of 128 random bits.
func secret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
