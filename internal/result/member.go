package result

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Part is what an application has of a trial of its own.
type Part struct {
	Profile describe.Profile `json:"profile,omitzero"` // what the workload counts and reports
	// Servers are what fills the roles of an instance, in the order of their start;
	// none where it is volumes alone.
	Servers []Server `json:"servers,omitempty"`
	Dataset string   `json:"dataset,omitempty"`
	// Provisioned is how the instances got it.
	Provisioned *Provisioning `json:"provisioned,omitempty"`
	OpenLoop    bool          `json:"open_loop,omitempty"` // response times count from the intended start
	// Operations sums the measured phase by operation. The operation named Profile.Whole is
	// the unit of work.
	Operations map[string]OperationSummary `json:"operations,omitempty"`
	Instances  []InstanceSummary           `json:"instances,omitempty"`
	Drivers    []DriverSummary             `json:"drivers,omitempty"`
	// Bursts is the unit of work on and off burst apart; missing without bursts.
	Bursts *Bursts `json:"bursts,omitempty"`
	// Unaudited says why there is no audit: "the site is not ours".
	Unaudited string        `json:"unaudited,omitempty"`
	Audit     *AuditSummary `json:"audit,omitempty"`
}

// Member is the part of one member; the only one of a study without members has no name.
type Member struct {
	Name string `json:"name,omitempty"`
	Part
}

// Tile is trial.json: what the members of a trial have in common, and each member's part.
// The audit of a tile sums up its members' audits.
type Tile struct {
	Trial
	Members []Member `json:"members"`
}

// tileFile is trial.json as it is decoded, of this version or an earlier one. It has no methods
// of its own, so that the text is scanned once.
type tileFile struct {
	fileTile
	Storage *describe.Storage            `json:"storage"` // the variant's own, in earlier versions
	Placed  map[string]*describe.Storage `json:"placed"`  // the others
}

type fileTile Tile

// UnmarshalJSON implements json.Unmarshaler.
func (t *Tile) UnmarshalJSON(data []byte) error {
	read := tileFile{fileTile: fileTile(*t)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*t = *read.tile()
	return nil
}

// tile is the trial as this version has it. One of an earlier version without members is its
// only member's.
func (f *tileFile) tile() *Tile {
	t := (*Tile)(&f.fileTile)
	if t.Schema >= 4 {
		return t
	}
	if f.Storage != nil {
		t.Storages = OnlyStorage(t.Variant, *f.Storage)
		maps.Copy(t.Storages, f.Placed)
	}
	if len(t.Members) == 0 {
		t.Members = []Member{{Part: t.Part}}
		t.Part = Part{Audit: t.Audit}
	}
	t.liftEvents()
	return t
}

// Trials gives the trial of each member: with so many instances as there are of it, with
// Variant.Title in place of the variant's name, and with only its own of what was recorded.
func (t *Tile) Trials() (all []*Trial) {
	whole := t.Trial
	for _, v := range t.Variant.Tile() {
		at := slices.IndexFunc(t.Members, func(m Member) bool { return m.Name == v.Member })
		if at < 0 {
			continue
		}
		one := t.Trial
		one.whole, one.Part = &whole, t.Members[at].Part
		one.ID, one.Variant, one.Rung = idOf(t.ID, v), v, t.Rung*v.Weight
		one.Variant.Name = v.Title()
		one.Resources = nil
		for _, r := range t.Resources {
			if own, ok := ownName(r.Kind, r.Name, r.Metric, v.Member); ok {
				r.Name = own
				one.Resources = append(one.Resources, r)
			}
		}
		one.SetAside = slices.DeleteFunc(slices.Clone(t.SetAside), func(s Exclusion) bool { return s.Member != v.Member })
		one.Evidence = slices.DeleteFunc(slices.Clone(t.Evidence), func(e Evidence) bool { return e.Member != v.Member })
		all = append(all, &one)
	}
	return all
}

// TileOf puts the trials of the members of one trial together again.
func TileOf(members ...*Trial) *Tile {
	tile := &Tile{Trial: *members[0].Tile()}
	tile.Part = Part{Audit: tile.Audit}
	for _, t := range members {
		tile.Members = append(tile.Members, Member{Name: t.Variant.Member, Part: t.Part})
	}
	return tile
}

// Tile is what the members of the trial have in common, with the identifier, the variant and
// the rung of the whole trial.
func (t *Trial) Tile() *Trial {
	if t.whole == nil {
		return t
	}
	return t.whole
}

// idOf is the identifier of a member's trial.
func idOf(whole string, v study.Variant) string {
	if rest, ok := strings.CutPrefix(whole, v.Name+"/"); ok {
		return v.Title() + "/" + rest
	}
	return whole
}

// ownName is what something that was sampled is called where a member is alone; false is
// for what drivers of another member recorded. What its servers and drivers used is there:
// they take part in what the machine does.
func ownName(kind, name, metric, member string) (own string, ok bool) {
	own, isOwn := strings.CutPrefix(name, study.Of(member, ""))
	switch kind {
	case describe.OperationKind:
		return own, isOwn
	case describe.TimeKind:
		if strings.HasPrefix(own, "driver-") {
			return name, true // as its records and its other series have it
		}
		return own, true
	case describe.InstanceKind, describe.GaugeKind, describe.WaitKind:
		return own, isOwn || metric != "units"
	case describe.DriverKind: // whose names stand in the records
		return name, isOwn || !slices.Contains([]string{"busy", "late", "late_mean", "users", "backlog"}, metric)
	}
	return name, true
}

// Members returns the run once for each member, with that member's trials among the others.
// The application of a study without members is the only one.
func (r *Run) Members() []*Run {
	return r.parts(func(alone, _ string) bool { return alone == "" })
}

// Alone gives a run of each member that was, or is to be, measured without the others, with
// that and nothing else.
func (r *Run) Alone() []*Run {
	all := r.parts(func(alone, member string) bool { return alone != "" && alone == member })
	return slices.DeleteFunc(all, func(one *Run) bool { return one.Plan == nil || len(one.Trials)+len(one.Plan.Trials) == 0 })
}

// parts returns the run once for each member, with the trials that were measured of some
// members alone; empty is all members.
func (r *Run) parts(some func(alone, member string) bool) (all []*Run) {
	studies := []*study.Study{nil}
	if r.Plan != nil && r.Plan.Study != nil {
		studies = r.Plan.Study.Tile()
	}
	for _, s := range studies {
		one := *r
		one.some = func(alone string) bool { return some(alone, one.member) }
		if s != nil {
			one.member, one.weight = s.Member()
			one.restrict(s)
		}
		one.Trials = slices.DeleteFunc(slices.Clone(r.Trials), func(t *Trial) bool {
			return !one.some(t.Alone) || s != nil && t.Variant.Member != one.member
		})
		all = append(all, &one)
	}
	return all
}

// Apart is the run with each member of its variants as a variant of its own, for who holds
// variants against each other, without what was measured of one member alone.
func (r *Run) Apart() *Run {
	members := r.Members()
	if len(members) == 1 {
		return members[0]
	}
	one := *r
	one.Trials = nil
	if r.Plan != nil {
		one.Plan = new(*r.Plan)
		one.Plan.Variants, one.Plan.Trials, one.Plan.Facts = nil, nil, map[string]plan.Facts{}
	}
	for _, m := range members {
		one.Trials = append(one.Trials, m.Trials...)
		if p := m.Plan; p != nil {
			one.Plan.Variants, one.Plan.Trials = append(one.Plan.Variants, p.Variants...), append(one.Plan.Trials, p.Trials...)
			maps.Copy(one.Plan.Facts, p.Facts)
		}
	}
	return &one
}

// Member is the member that the run is of; empty where the study has none.
func (r *Run) Member() string { return r.member }

// Instances is how many instances of the member so many tiles have.
func (r *Run) Instances(tiles int) int { return tiles * max(1, r.weight) }

// TilesOf is how many tiles a number of instances of the member belong to.
func (r *Run) TilesOf(instances int) int { return instances / max(1, r.weight) }

// Tiles are the trials without their members' parts, each once.
func (r *Run) Tiles() (all []*Trial) {
	seen := map[string]bool{}
	for _, t := range r.Trials {
		if whole := t.Tile(); !seen[whole.ID] {
			seen[whole.ID] = true
			all = append(all, whole)
		}
	}
	return all
}

// restrict restricts the plan to one member's study, with the trials as trials of that member.
func (r *Run) restrict(s *study.Study) {
	p, whole := *r.Plan, r.Plan
	p.Study, p.Variants, p.Facts = s, nil, map[string]plan.Facts{}
	p.Trials = slices.DeleteFunc(slices.Clone(p.Trials), func(t plan.Trial) bool { return !r.some(t.Alone) })
	r.Plan, r.names = &p, map[string]string{}
	for _, v := range whole.Variants {
		for _, own := range v.Tile() {
			if own.Member != r.member {
				continue
			}
			for i := range p.Trials {
				if t := &p.Trials[i]; t.Variant == v.Name {
					t.ID, t.Variant, t.Rung = idOf(t.ID, own), own.Title(), t.Rung*own.Weight
				}
			}
			p.Facts[own.Title()] = whole.FactsOf(own)
			own.Name = own.Title()
			p.Variants, r.names[v.Name] = append(p.Variants, own), own.Name
		}
	}
}

// Of are the trials of the members that an identifier names: a member's, or a whole trial's.
func (r *Run) Of(id string) (all []*Trial) {
	for _, t := range r.Trials {
		if t.ID == id || t.Tile().ID == id {
			all = append(all, t)
		}
	}
	return all
}

// Add adds a member's audit to its trial's.
func (a *Audit) Add(m *Audit) {
	s := &a.Summary
	s.Instances += m.Summary.Instances
	s.Acknowledged += m.Summary.Acknowledged
	s.Present += m.Summary.Present
	s.Doubtful += m.Summary.Doubtful
	s.SetAside += m.Summary.SetAside
	text := m.Summary.Text
	if m.Member != "" {
		text = m.Member + ": " + text
	}
	switch worse := m.Summary.harm() - s.harm(); {
	case worse > 0 || worse == 0 && s.Text == "":
		s.Passed, s.Uncounted, s.Text = m.Summary.Passed, m.Summary.Uncounted, text
	case worse == 0:
		s.Text += "; " + text
	}
	a.Members = append(a.Members, *m)
}

// harm ranks what an audit found: more is worse.
func (s *AuditSummary) harm() int {
	switch {
	case s.Failed():
		return 2
	case !s.Passed:
		return 1
	}
	return 0
}

// of is the audit of a member.
func (a *Audit) of(member string) *Audit {
	for i := range a.Members {
		if a.Members[i].Member == member {
			return &a.Members[i]
		}
	}
	return a
}
