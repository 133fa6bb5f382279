package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
)

// Vocabulary gives the study package the available workloads, engines, storage and platforms.
func Vocabulary(parts Parts) study.Vocabulary {
	v := study.Vocabulary{Workloads: map[string]study.VocabularyEntry{}, Classes: map[string]study.VocabularyEntry{}, Platforms: map[string]study.VocabularyEntry{}, References: parts.References}
	for name, w := range parts.Workloads {
		v.Workloads[name] = parts.typedWorkload(w)
	}
	for name, k := range parts.Kinds {
		v.Classes[name] = typedKind(k)
	}
	for name, k := range parts.Platforms {
		v.Platforms[name] = typedPlatform(k)
	}
	v.EngineEvents = map[string]event.Declaration{}
	for name, e := range parts.Engines {
		v.Engines = append(v.Engines, name)
		if actor := e.Capabilities().Actor; actor != nil {
			v.EngineEvents[name] = actor.Events()
		}
	}
	return v
}

func (parts Parts) typedWorkload(w workload.Workload) study.VocabularyEntry {
	return study.VocabularyEntry{
		Roles:      func(p any) []study.Role { return parts.rolesOf(w, p.(workload.Parameters)) },
		Defaults:   func() any { return w.Defaults() },
		Operations: func(p any) []string { return w.Describe(p.(workload.Parameters)).Operations },
		Metrics:    func(p any) []describe.Metric { return w.Describe(p.(workload.Parameters)).Metrics },
		UserRate:   func(p any) float64 { return w.Describe(p.(workload.Parameters)).UserRate },
		Validate:   func(p any) []describe.Problem { return p.(workload.Parameters).Validate() },
	}
}

// rolesOf says which engines and kinds of volumes can fill the roles of a
// workload: a kind of endpoint is one of volumes where a storage class hands it out.
func (parts Parts) rolesOf(w workload.Workload, p workload.Parameters) (all []study.Role) {
	volumes := map[string]bool{}
	for _, k := range parts.Kinds {
		for _, kind := range k.VolumeKinds(nil) {
			volumes[kind] = true
		}
	}
	for _, role := range w.Roles(p) {
		r := study.Role{Name: role.Name, Site: slices.Contains(role.Kinds, endpoint.Site)}
		for _, kind := range role.Kinds {
			if volumes[kind] {
				r.Volumes = append(r.Volumes, kind)
			}
		}
		for _, m := range role.Mounts {
			r.Mounts = append(r.Mounts, study.Mount{Name: m.Name, Kinds: m.Kinds})
		}
		for name, e := range parts.Engines {
			if slices.Contains(role.Kinds, e.Kind()) {
				r.Engines = append(r.Engines, name)
			}
		}
		slices.Sort(r.Engines)
		all = append(all, r)
	}
	return all
}

func typedKind(k storage.Kind) study.VocabularyEntry {
	t := study.VocabularyEntry{
		Defaults: k.Defaults,
		Validate: k.Validate,
		Volumes:  k.VolumeKinds,
	}
	t.Events = k.Capabilities().Events
	return t
}

func typedPlatform(k platform.Kind) study.VocabularyEntry {
	t := study.VocabularyEntry{Defaults: k.Defaults, Validate: k.Validate}
	t.Events = k.Capabilities().Events
	return t
}

// On chooses the platform that a study names; without a name, this machine.
func (p Parts) On(chosen study.Platform) (Parts, error) {
	name := chosen.Name
	if name == "" {
		name = DefaultPlatform
	}
	kind, ok := p.Platforms[name]
	if !ok {
		return p, fmt.Errorf("unknown platform %q; known: %v", name, slices.Sorted(maps.Keys(p.Platforms)))
	}
	p.Platform = kind.Bind(chosen.Parameters)
	return p, nil
}

// DefaultPlatform is the platform of a study that names none.
const DefaultPlatform = "local"

// Site is where a campaign would put its volumes, the data sets that it keeps, and
// its results (empty is not known), and what the plan may ask existing servers.
type Site struct {
	Work, Cache, Runs string
	Asking            Asking
}

// Fetching is what happens to programs that are not installed and can be fetched.
type Fetching int

// Programs that can be fetched are missing, or noted as what a run fetches, or fetched now.
const (
	FetchNever Fetching = iota
	FetchLater
	FetchNow
)

// FetchIf is FetchNow where it may be.
func FetchIf(may bool) Fetching {
	if may {
		return FetchNow
	}
	return FetchNever
}

// Plan plans a study for a platform: the registries give the facts.
func Plan(ctx context.Context, parts Parts, s *study.Study, site Site, fetch Fetching) (*plan.Plan, error) {
	has, err := parts.Platform.Capacity(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the platform what it has: %w", err)
	}
	q, l := &questions{Asking: site.Asking}, &fetchList{}
	p, err := plan.Make(s, plan.Machine{
		MemoryBytes: has.MemoryBytes,
		Cores:       has.Cores, Notes: has.Notes, OpenFiles: has.OpenFiles, Tasks: has.Tasks,
		Where: has.Where, Placed: has.Placed, Nodes: nodesOf(has), Closed: has.Closed, Refuses: refuses(has),
		Kept: site.Cache, Results: site.Runs,
		FileSystem: func(directory string) plan.FileSystem {
			space, err := parts.Platform.Space(ctx, directory)
			if err != nil {
				space = platform.UnknownSpace()
			}
			return plan.FileSystem{ID: space.ID, Bytes: space.Bytes, Files: space.Files}
		},
	}, describer{ctx: ctx, parts: parts, site: site, seed: s.Seed, fetch: fetch, toFetch: l, requests: has.Requests, answers: answersFrom(has), questions: q})
	if err != nil {
		return nil, err
	}
	p.Notes = append(p.Notes, append(q.unasked(), parts.memoryNotes(p)...)...)
	for _, what := range l.what {
		p.Notes = append(p.Notes, "a run gets "+what+" first, which is not installed; with --no-fetch it does not, and cannot run here")
	}
	return p, nil
}

// fetchList is what a run fetches, for people.
type fetchList struct{ what []string }

func (l *fetchList) add(all []string) {
	for _, what := range all {
		if !slices.Contains(l.what, what) {
			l.what = append(l.what, what)
		}
	}
}

// find looks for an installation, or for what a run fetches.
func (d describer) find(ctx context.Context, e app.Engine, version string) (app.Installation, error) {
	in, err := d.parts.Platform.Find(ctx, e, version, d.fetch == FetchNow)
	var missing *app.FetchableError
	if d.fetch != FetchLater || !errors.As(err, &missing) {
		return in, err
	}
	d.toFetch.add(missing.What)
	return missing.In, nil
}

// answersFrom gives room for the answers of existing servers, nil where they are not to be
// asked: those that a cluster's machines reach may be out of reach from here.
func answersFrom(has platform.Capacity) *serverAnswers {
	if has.Placed {
		return nil
	}
	return &serverAnswers{answers: map[endpoint.Endpoint]answer{}}
}

func nodesOf(has platform.Capacity) (all []plan.Node) {
	for _, n := range has.Nodes {
		all = append(all, plan.Node{MilliCPU: n.MilliCPU, MemoryBytes: n.MemoryBytes, Servers: n.Servers, Volumes: n.Volumes})
	}
	return all
}

// refuses asks the rules of a platform, in a plan's terms.
func refuses(has platform.Capacity) func(plan.Demand) string {
	if has.Refuses == nil {
		return nil
	}
	return func(of plan.Demand) string {
		asked := platform.Demand{Instances: of.Instances, Drivers: of.Drivers}
		for _, s := range of.Servers {
			asked.Servers = append(asked.Servers, app.Limits{CPU: float64(s.MostMilliCPU) / 1000, Memory: s.MostMemoryBytes})
		}
		for _, v := range of.Volumes {
			asked.Volumes = append(asked.Volumes, platform.ClaimedVolume(v))
		}
		return has.Refuses(asked)
	}
}

// describer gives the plan what the registries know.
type describer struct {
	ctx     context.Context
	parts   Parts
	site    Site
	seed    uint64
	fetch   Fetching
	toFetch *fetchList
	// requests is the share of its limits that a server is kept; 0 where it is not placed
	// on a node.
	requests  float64
	answers   *serverAnswers
	questions *questions
	run       string // whose mark existing databases may have; empty before there is a run
}

// Usable implements plan.Describer.
func (d describer) Usable(s study.Storage) error {
	k, err := d.parts.Kinds.Get(s.Class)
	if err != nil {
		return err
	}
	if asks := k.Capabilities().Asks; asks != nil {
		if what := asks(s.Parameters); what != "" && !d.questions.may(what) {
			return nil
		}
	}
	return k.Usable(s.Parameters)
}

// Describe implements plan.Describer.
func (d describer) Describe(v study.Variant) (plan.Facts, error) {
	if err := d.parts.Platform.Deploys(d.ctx, v.Deployment); err != nil {
		return plan.Facts{}, fmt.Errorf("deployment %s: %w", v.Deployment.OrBare(), err)
	}
	for name, s := range v.Storages() {
		if err := d.parts.Platform.Hosts(d.parts.Kinds[s.Class]); err != nil {
			return plan.Facts{}, fmt.Errorf("storage %s (class %s): %w", name, s.Class, err)
		}
	}
	roles, err := d.parts.roles(d.ctx, v, d.find)
	if err != nil {
		return plan.Facts{}, err
	}
	w, params, err := d.parts.workload(v)
	if err != nil {
		return plan.Facts{}, err
	}
	keep := loaded(roles)
	set := w.Dataset(params, kindsOf(keep), d.seed)
	all := set.Space()
	facts := plan.Facts{
		Profile: w.Describe(params),
		Dataset: plan.Dataset{Key: set.Key(), Servers: named(keep), Description: set.Description, Bytes: all.Bytes, UserBytes: all.UserBytes, Files: all.Files, UserFiles: all.UserFiles},
	}
	if inPlace(roles, set) {
		facts.Dataset.Key = ""
	}
	if unaudited(roles) != "" {
		facts.Dataset, set = plan.Dataset{Description: notOurs}, workload.Dataset{}
	}
	if !onVolumes(roles) {
		facts.Dataset.Bytes, facts.Dataset.UserBytes, facts.Profile.Growth = 0, 0, 0 // they take no space of ours
	}
	facts.Storages = d.storages(v, roles)
	lay(&facts, v, roles, set)
	for _, m := range roles {
		if err := m.by.plan(d, m, roles, v, &facts); err != nil {
			return facts, err
		}
	}
	facts.Problems = append(facts.Problems, d.misplaced(v)...)
	return facts, d.claims(v, &facts)
}

// directory is one on the file system that volumes of a storage fill; empty where they
// fill none.
func (d describer) directory(place storage.Place, roles []filledRole) string {
	if place.Elsewhere || !onVolumes(roles) {
		return ""
	}
	return cmp.Or(place.Path, d.site.Work)
}

// inMemory reports whether volumes of a storage are kept in memory, be it that the
// directory that they fill is.
func (d describer) inMemory(place storage.Place, directory string) bool {
	if place.InMemory || directory == "" {
		return place.InMemory
	}
	space, err := d.parts.Platform.Space(d.ctx, directory)
	return err == nil && space.InMemory
}

// memoryNotes say which storages of a plan are memory, where the study does not.
func (p Parts) memoryNotes(of *plan.Plan) (notes []string) {
	for _, v := range each(of.Variants) {
		facts := of.FactsOf(v)
		for name, s := range v.Storages() {
			at := facts.Storages[name]
			kind, ok := p.Kinds[s.Class]
			note := fmt.Sprintf("Storage %s is memory: no medium is below %s. Flushes are free there and nothing survives a power cut.", name, at.Place)
			if ok && at.InMemory && !kind.Place(s.Parameters).InMemory && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	slices.Sort(notes)
	return notes
}

// storages describes the storages of a variant, before anything is placed on them.
func (d describer) storages(v study.Variant, roles []filledRole) map[string]plan.StorageFacts {
	all := map[string]plan.StorageFacts{}
	for name, s := range v.Storages() {
		kind, ok := d.parts.Kinds[s.Class]
		if !ok {
			continue
		}
		p := kind.Place(s.Parameters)
		directory := d.directory(p, roles)
		all[name] = plan.StorageFacts{
			Place: directory, InMemory: d.inMemory(p, directory), Copies: p.Copies, Capacity: sized(p.Capacity), VolumeCapacity: sized(p.VolumeCapacity),
			StorageMemory: p.Memory, VolumeMemory: p.VolumeMemory, VolumeTime: p.VolumeTime, Media: p.Media, MediumMemory: p.MediumMemory,
		}
	}
	return all
}

// lay places the data set of an instance on the storages of its mounts.
func lay(facts *plan.Facts, v study.Variant, roles []filledRole, set workload.Dataset) {
	for _, m := range roles {
		for n, mount := range m.mounts() {
			name, _ := v.StorageOf(m.role.Name, mount.Name)
			of := set.Roles[m.role.Name].Of(n, mount)
			facts.Hold(name, plan.Holding{Bytes: of.Bytes, UserBytes: of.UserBytes, Files: of.Files, UserFiles: of.UserFiles})
		}
	}
}

// sized is the size of a thing that a class makes, which is never 0: that is not known.
func sized(bytes int64) *int64 {
	if bytes == 0 {
		return nil
	}
	return &bytes
}

// misplaced says that a storage's volumes cannot lie where runs do their work.
func (d describer) misplaced(v study.Variant) (problems []plan.Problem) {
	all := v.Storages()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		check := d.parts.Kinds.Capabilities(all[name].Class).CheckPath
		if check == nil || d.site.Work == "" {
			continue
		}
		if err := check(d.site.Work); err != nil {
			problems = append(problems, plan.Problem{What: fmt.Sprintf("storage %s: %v", name, err), Hint: "choose another directory with --work"})
		}
	}
	return problems
}

// claims adds the known facts about the storage classes of a cluster.
func (d describer) claims(v study.Variant, facts *plan.Facts) (err error) {
	for name, s := range v.Storages() {
		err = errors.Join(err, d.claimed(s, func(class storage.ClaimClass, bytes int64) {
			one := facts.Storages[name]
			one.ClaimSource, one.Capacity, one.ClaimBytes = claimedOf(class), class.Capacity, bytes
			facts.Storages[name] = one
		}))
	}
	return err
}

func claimedOf(class storage.ClaimClass) plan.ClaimSource {
	return plan.ClaimSource{Provisioner: class.Provisioner, StorageClass: class.Name, LargestVolume: class.LargestVolume}
}

// claimed looks for the storage class of a cluster that volumes are claimed of, if they
// are, and for the size that the study gives them, if it does.
func (d describer) claimed(s study.Storage, have func(class storage.ClaimClass, bytes int64)) error {
	kind := d.parts.Kinds.Capabilities(s.Class).Claims
	if kind == nil {
		return nil
	}
	classOf := d.parts.Platform.Capabilities().ClaimClass
	if classOf == nil {
		return nil
	}
	class, err := classOf(d.ctx, kind.StorageClass(s.Parameters))
	if err == nil {
		have(class, kind.ClaimBytes(s.Parameters))
	}
	return err
}

// plannedPeers gives the servers that a role uses, as far as a plan knows
// them.
func plannedPeers(m filledRole, all []filledRole) (peers []endpoint.Endpoint) {
	for _, other := range all {
		if slices.Contains(m.role.After, other.role.Name) {
			peers = append(peers, endpoint.Endpoint{Role: other.role.Name, Kind: other.kind})
		}
	}
	return peers
}

// fieldOf is where a study says what fills a role, with a dot at its end.
func fieldOf(m filledRole, v study.Variant) string {
	if _, long := v.Stack[m.role.Name]; long {
		return "stack." + m.role.Name + "."
	}
	return "engine."
}

// refusals asks the engine what of a server's configuration it would refuse.
func (d describer) refusals(m filledRole, in app.Installation, config app.Config, v study.Variant) ([]plan.Problem, error) {
	can := app.CapabilitiesOf(m.engine)
	if can.Config == nil {
		return nil, nil
	}
	field := fieldOf(m, v)
	var found []describe.Problem
	var err error
	if len(in.Paths) > 0 || can.Builtin { // this program is always at hand
		found, err = can.Config.CheckConfig(d.ctx, in, config)
	} else { // it lies elsewhere, and says the rest when it starts
		found = can.Config.Outward().RefuseAll(config.Settings)
	}
	var all []plan.Problem
	for _, f := range found {
		hint := f.Hint
		if hint == "" {
			hint = "correct " + field + f.Path + " in the study"
		}
		all = append(all, plan.Problem{What: field + f.Path + ": " + f.Text, Hint: hint})
	}
	return all, err
}

// volumeKinds lists what volumes of a storage are.
func (p Parts) volumeKinds(s study.Storage) []string {
	if k, ok := p.Kinds[s.Class]; ok {
		return k.VolumeKinds(s.Parameters)
	}
	return nil
}
