package facts

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
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
)

// Site is where a campaign would put its volumes, the data sets that it keeps, and
// its results (empty is not known), and what the plan may ask existing servers.
type Site struct {
	Work, Cache, Runs string
	Asking            Asking
	// Offline reports that the plan is for another machine: what storage needs of one is not
	// looked for on this one.
	Offline bool
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
		Capacity: has, Kept: site.Cache, Results: site.Runs,
		Space: func(directory string) describe.Space {
			space, err := parts.Platform.Space(ctx, directory)
			if err != nil {
				space = describe.UnknownSpace()
			}
			return space
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
func answersFrom(has describe.Capacity) *serverAnswers {
	if has.Placed {
		return nil
	}
	return &serverAnswers{answers: map[endpoint.Endpoint]answer{}}
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
	if d.site.Offline {
		return nil
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
	for name, s := range v.Storages {
		if err := d.parts.Platform.Hosts(d.parts.Kinds[s.Class]); err != nil {
			return plan.Facts{}, fmt.Errorf("storage %s (class %s): %w", name, s.Class, err)
		}
	}
	roles, err := d.parts.Roles(d.ctx, v, d.find)
	if err != nil {
		return plan.Facts{}, err
	}
	w, params, err := d.parts.Workload(v)
	if err != nil {
		return plan.Facts{}, err
	}
	keep := Loaded(roles)
	set := w.Dataset(params, KindsOf(keep), d.seed)
	all := set.Space()
	facts := plan.Facts{
		Profile: w.Describe(params),
		Dataset: plan.Dataset{Key: set.Key(), Servers: Named(keep), Description: set.Description, Bytes: all.Bytes, UserBytes: all.UserBytes, Files: all.Files, UserFiles: all.UserFiles},
	}
	if InPlace(roles, set) {
		facts.Dataset.Key = ""
	}
	if Unaudited(roles) != "" {
		facts.Dataset, set = plan.Dataset{Description: NotOurs}, workload.Dataset{}
	}
	if !OnVolumes(roles) {
		facts.Dataset.Bytes, facts.Dataset.UserBytes, facts.Profile.Growth = 0, 0, 0 // they take no space of ours
	}
	facts.Storages = d.storages(v, roles)
	lay(&facts, v, roles, set)
	for _, m := range roles {
		if err := m.By.plan(d, m, roles, v, &facts); err != nil {
			return facts, err
		}
	}
	facts.Problems = append(facts.Problems, d.misplaced(v)...)
	return facts, d.claims(v, &facts)
}

// directory is one on the file system that volumes of a storage fill; empty where they
// fill none.
func (d describer) directory(place storage.Place, roles []Role) string {
	if place.Elsewhere || !OnVolumes(roles) {
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
	for _, v := range of.Applications() {
		facts := of.FactsOf(v)
		for name, s := range v.Storages {
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
func (d describer) storages(v study.Variant, roles []Role) map[string]plan.StorageFacts {
	all := map[string]plan.StorageFacts{}
	for name, s := range v.Storages {
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
func lay(facts *plan.Facts, v study.Variant, roles []Role, set workload.Dataset) {
	for _, m := range roles {
		for n, mount := range m.VolumeMounts() {
			name := v.StorageOf(m.Name, mount.Name)
			of := set.Roles[m.Name].Of(n, mount)
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
func (d describer) misplaced(v study.Variant) (problems []describe.Problem) {
	all := v.Storages
	for _, name := range slices.Sorted(maps.Keys(all)) {
		check := d.parts.Kinds.Capabilities(all[name].Class).CheckPath
		if check == nil || d.site.Work == "" || d.site.Offline {
			continue
		}
		if err := check(d.site.Work); err != nil {
			problems = append(problems, describe.Problem{Text: fmt.Sprintf("storage %s: %v", name, err), Hint: "choose another directory with --work"})
		}
	}
	return problems
}

// claims adds the known facts about the storage classes of a cluster.
func (d describer) claims(v study.Variant, facts *plan.Facts) (err error) {
	for name, s := range v.Storages {
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
func plannedPeers(m Role, all []Role) (peers []endpoint.Endpoint) {
	for _, other := range all {
		if slices.Contains(m.After, other.Name) {
			peers = append(peers, endpoint.Endpoint{Role: other.Name, Kind: other.Kind})
		}
	}
	return peers
}

// fieldOf is where a study says what fills a role, with a dot at its end.
func fieldOf(m Role, v study.Variant) string {
	if _, long := v.Stack[m.Name]; long {
		return "stack." + m.Name + "."
	}
	return "engine."
}

// refusals asks the engine what of a server's configuration it would refuse.
func (d describer) refusals(m Role, in app.Installation, config app.Config, v study.Variant) ([]describe.Problem, error) {
	can := app.CapabilitiesOf(m.Engine)
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
	var all []describe.Problem
	for _, f := range found {
		hint := f.Hint
		if hint == "" {
			hint = "correct " + field + f.Path + " in the study"
		}
		all = append(all, describe.Problem{Text: field + f.Path + ": " + f.Text, Hint: hint})
	}
	return all, err
}
