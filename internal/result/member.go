package result

import (
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Member is one member's own part of a trial. Fields have the same meaning as in the trial
// of a study without members.
type Member struct {
	Name        string                      `json:"name"`
	Profile     describe.Profile            `json:"profile"`
	Servers     []Server                    `json:"servers,omitempty"`
	Dataset     string                      `json:"dataset,omitempty"`
	Provisioned *Provisioning               `json:"provisioned,omitempty"`
	OpenLoop    bool                        `json:"open_loop,omitempty"`
	Operations  map[string]OperationSummary `json:"operations,omitempty"`
	Instances   []InstanceSummary           `json:"instances,omitempty"`
	Drivers     []DriverSummary             `json:"drivers,omitempty"`
	Bursts      *Bursts                     `json:"bursts,omitempty"`
	Unaudited   string                      `json:"unaudited,omitempty"`
	Audit       *AuditSummary               `json:"audit,omitempty"`
}

// MemberOf extracts the member's own part from a trial of that member alone.
func MemberOf(name string, t *Trial) Member {
	return Member{
		Name: name, Profile: t.Profile, Servers: t.Servers, Dataset: t.Dataset, Provisioned: t.Provisioned, OpenLoop: t.OpenLoop,
		Operations: t.Operations, Instances: t.Instances, Drivers: t.Drivers, Bursts: t.Bursts, Unaudited: t.Unaudited, Audit: t.Audit,
	}
}

// Tile gives the trial as one of each of its members alone, with so many instances as there
// are of the member, and with Variant.Title in place of the variant's name. A trial of a
// study without members is the only one.
func (t *Trial) Tile() []*Trial {
	if len(t.Members) == 0 {
		return []*Trial{t}
	}
	var all []*Trial
	for _, v := range t.Variant.Tile() {
		if at := slices.IndexFunc(t.Members, func(m Member) bool { return m.Name == v.Member }); at >= 0 {
			all = append(all, t.alone(v, t.Members[at]))
		}
	}
	return all
}

func (t *Trial) alone(v study.Variant, m Member) *Trial {
	one := *t
	one.Members, one.Variant, one.Rung = nil, v, t.Rung*v.Weight
	one.ID, one.Variant.Name = idAlone(t.ID, v), v.Title()
	one.Profile, one.Servers, one.Dataset, one.Provisioned, one.OpenLoop = m.Profile, m.Servers, m.Dataset, m.Provisioned, m.OpenLoop
	one.Operations, one.Instances, one.Drivers, one.Bursts, one.Unaudited, one.Audit = m.Operations, m.Instances, m.Drivers, m.Bursts, m.Unaudited, m.Audit
	one.Resources = nil
	for _, r := range t.Resources {
		if own, ok := ownName(r.Kind, r.Name, r.Metric, m.Name); ok {
			r.Name = own
			one.Resources = append(one.Resources, r)
		}
	}
	one.SetAside = slices.DeleteFunc(slices.Clone(t.SetAside), func(s Exclusion) bool { return s.Member != m.Name })
	one.Evidence = slices.DeleteFunc(slices.Clone(t.Evidence), func(e Evidence) bool { return e.Member != m.Name })
	return &one
}

// idAlone turns a trial's identifier into the identifier of the member alone.
func idAlone(id string, v study.Variant) string {
	if rest, ok := strings.CutPrefix(id, v.Name+"/"); ok {
		return v.Title() + "/" + rest
	}
	return id
}

// located splits the identifier of a member's trial. The member is empty for a whole trial.
func (r *Run) located(id string) (whole, member string) {
	names := []string{r.member}
	if r.Plan != nil && r.Plan.Study != nil {
		for _, m := range r.Plan.Study.Members {
			names = append(names, m.Name)
		}
	}
	variant, rest, _ := strings.Cut(id, "/")
	for _, name := range names {
		if of, ok := strings.CutSuffix(variant, "."+name); ok && name != "" {
			return of + "/" + rest, name
		}
	}
	return id, ""
}

// ownName is what something that was sampled is called where a member is alone; false is
// for what drivers of another member recorded. What its servers and drivers used is there:
// they take part in what the machine does.
func ownName(kind, name, metric, member string) (own string, ok bool) {
	own, isOwn := strings.CutPrefix(name, study.Of(member, ""))
	switch kind {
	case "operation":
		return own, isOwn
	case describe.TimeKind:
		if strings.HasPrefix(own, "driver-") {
			return name, true // as its records and its other series have it
		}
		return own, true
	case "instance", "gauge", describe.WaitKind:
		return own, isOwn || metric != "units"
	case "driver": // whose names stand in the records
		return name, isOwn || !slices.Contains([]string{"busy", "late", "late_mean", "users", "backlog"}, metric)
	}
	return name, true
}

// Tile returns the run once for each member, with that member's results among the others. A
// run of a study without members is returned alone.
func (r *Run) Tile() (all []*Run) {
	if !r.hasMembers() {
		return []*Run{r}
	}
	for _, s := range r.Plan.Study.Tile() {
		all = append(all, r.part(s, ""))
	}
	return all
}

// Alone gives a run of each member that was, or is to be, measured without the others, with
// that and nothing else.
func (r *Run) Alone() (all []*Run) {
	if !r.hasMembers() {
		return nil
	}
	for _, s := range r.Plan.Study.Tile() {
		name, _ := s.Member()
		if one := r.part(s, name); len(one.Trials)+len(one.Plan.Trials) > 0 {
			all = append(all, one)
		}
	}
	return all
}

func (r *Run) hasMembers() bool {
	return r.Plan != nil && r.Plan.Study != nil && len(r.Plan.Study.Members) > 0
}

// part is the run as one of a member, with the trials that were of this member alone, or, where
// that is empty, of whole tiles.
func (r *Run) part(s *study.Study, alone string) *Run {
	one := *r
	one.member, one.weight = s.Member()
	one.Plan, one.Trials = planOf(r.Plan, s, alone), nil
	for _, t := range r.Trials {
		if own := one.of(t); own != nil && t.Alone == alone {
			one.Trials = append(one.Trials, own)
		}
	}
	return &one
}

// Apart is the run with each member of its variants as a variant of its own, for who holds
// variants against each other, without what was measured of one member alone; a run of a study
// without members is as it was.
func (r *Run) Apart() *Run {
	members := r.Tile()
	if members[0] == r {
		return r
	}
	one, planned := *r, *r.Plan
	one.Plan, one.Trials = &planned, nil
	planned.Variants, planned.Trials, planned.Facts = nil, nil, map[string]plan.Facts{}
	for _, m := range members {
		one.Trials = append(one.Trials, m.Trials...)
		planned.Variants, planned.Trials = append(planned.Variants, m.Plan.Variants...), append(planned.Trials, m.Plan.Trials...)
		maps.Copy(planned.Facts, m.Plan.Facts)
	}
	return &one
}

// Member is the member that the run is of alone; empty where the study has none.
func (r *Run) Member() string { return r.member }

// Tiles is how many tiles a number of instances of the member belong to.
func (r *Run) Tiles(instances int) int { return instances / max(1, r.weight) }

// Origin is the trial of this run that one of a member alone is of; nil where it has none.
func (r *Run) Origin(alone *Trial) *Trial {
	id, _ := r.located(alone.ID)
	return r.Trial(id)
}

// of gives a trial of the whole run as one of the member; nil where it has nothing of it.
func (r *Run) of(t *Trial) *Trial {
	for _, one := range t.Tile() {
		if one.Variant.Member == r.member {
			return one
		}
	}
	return nil
}

// planOf restricts a plan to one member, with its trials as trials of that member.
func planOf(p *plan.Plan, s *study.Study, alone string) *plan.Plan {
	one, name, weight := *p, "", 0
	name, weight = s.Member()
	one.Study, one.Variants, one.Facts = s, nil, map[string]plan.Facts{}
	one.Trials = slices.DeleteFunc(slices.Clone(p.Trials), func(t plan.Trial) bool { return t.Alone != alone })
	for _, v := range p.Variants {
		for _, own := range v.Tile() {
			if own.Member != name {
				continue
			}
			for i := range one.Trials {
				if t := &one.Trials[i]; t.Variant == own.Name {
					t.ID, t.Variant, t.Rung = idAlone(t.ID, own), own.Title(), t.Rung*weight
				}
			}
			one.Facts[own.Title()] = p.FactsOf(own)
			own.Name = own.Title()
			one.Variants = append(one.Variants, own)
		}
	}
	return &one
}

// Add adds a member's audit to its trial's.
func (a *Audit) Add(m *Audit) {
	s := &a.Summary
	s.Instances += m.Summary.Instances
	s.Acknowledged += m.Summary.Acknowledged
	s.Present += m.Summary.Present
	s.Doubtful += m.Summary.Doubtful
	s.SetAside += m.Summary.SetAside
	text := m.Member + ": " + m.Summary.Text
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
