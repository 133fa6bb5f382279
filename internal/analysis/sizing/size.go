// Package sizing turns a demand (so many instances, so much data, for so many
// years) and load lines, measured or published, into configurations that meet it,
// each with the rules that shaped it and their source.
package sizing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe/protection"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// Basis is a measured (or published) load line to size from.
type Basis struct {
	Name     string         // "ssd-16 of a-study"
	Server   string         // model, empty for any
	Nodes    int            // storage nodes that it was measured on; of users, drives or else stores
	Drives   bool           // Nodes are drives
	LoadLine stats.Interval // instances, or users, within the objectives
	Open     bool           // the line lies at or above that
	Rung     int            // the largest that was measured and kept the objectives
	Noun     string         // what the line counts, singular: instance, user, accelerator
	// Objectives are in words; empty where there are none.
	Objectives string
	// Limiting is the kind of the resource that gave out first (node, device,
	// network, cpu, ...), empty when not known. More storage nodes only help
	// where it belongs to them.
	Limiting resource.Kind
	// Elsewhere reports that Limiting is no part of the storage, though others of its kind are: the
	// network of a client.
	Elsewhere bool
	// Media is the kind of medium that it was measured on; empty when not known.
	Media string

	doubts []trust.Warning // of the run
	ofUser bool            // a ladder of users was measured, and not published
}

// BasisFrom takes a variant's load line from an analysis.
func BasisFrom(a *analysis.Analysis, of BasisOf) (Basis, error) {
	for i := range a.Variants {
		v := &a.Variants[i]
		if v.Name != of.Variant {
			continue
		}
		limit := loadline.LimitedBy(v.Rungs, v.LoadLine)
		b := Basis{
			Name: say.F("%s of %s", v.Name, a.Study.Name), Server: of.Server, LoadLine: v.LoadLine.Count, Open: v.LoadLine.Open, Rung: v.LoadLine.Carried(),
			Media: v.MediaKind, Noun: cmp.Or(a.Study.Noun, "instance"), Objectives: objectivesText(a.Study.Objectives),
		}
		if limit != nil {
			b.Limiting, b.Elsewhere = limit.Kind, limit.Kind.OfStorage() && !limit.OfStorage()
		}
		b.Nodes, b.Drives = unitsOf(of, v)
		if b.LoadLine.Value < 1 {
			return b, fmt.Errorf("size from %s: it carries no %s within the objectives, so there is nothing to scale from", b.Name, b.Noun)
		}
		b.doubts, b.ofUser = doubtsOf(a, b.Name), b.Noun != "instance" && a.Run.Reference == ""
		return b, nil
	}
	names := make([]string, len(a.Variants))
	for i, v := range a.Variants {
		names[i] = v.Name
	}
	guess := ""
	if near := study.Nearest(of.Variant, names); near != "" {
		guess = say.F("; did you mean %s?", near)
	}
	return Basis{}, fmt.Errorf("size from %s: there is no variant %q; it has %s%s", a.Study.Name, of.Variant, say.Join(names), guess)
}

// unitsOf is the number of storage nodes that a line was measured on, else the number of
// drives, else one store if its drives are unknown.
func unitsOf(of BasisOf, v *analysis.Variant) (n int, drives bool) {
	switch n = cmp.Or(of.Drives, int(v.Drives)); {
	case of.Nodes > 0:
		return of.Nodes, false
	case n > 0:
		return n, true
	}
	return 1, false
}

func objectivesText(all []study.Objective) string {
	texts := make([]string, len(all))
	for i, o := range all {
		texts[i] = o.Text
	}
	return say.Join(texts)
}

// doubtsOf are those that a proposal from a run inherits.
func doubtsOf(a *analysis.Analysis, name string) (all []trust.Warning) {
	if a.Study.Reduced {
		all = append(all, trust.Warn(trust.ReducedBasis, trust.Caution, trust.ReducedProfile, trust.Name(name), trust.Name(a.Study.Profile)))
	}
	if a.Run.Simulated {
		all = append(all, trust.Warn(trust.Simulated, trust.Caution, trust.SimulatedMedia, trust.Name(name)))
	}
	if a.Grade > "C" {
		all = append(all, trust.Warn(trust.PoorGrade, trust.Serious, trust.PoorGradeOf, trust.Name(name), trust.Name(a.Grade), trust.Name(a.GradeReason)))
	}
	return all
}

// Sizing is the answer to a demand.
type Sizing struct {
	Demand *Demand `json:"demand"` // as it was read
	// Needed is the usable capacity in bytes with growth.
	Needed    float64    `json:"needed"`
	Proposals []Proposal `json:"proposals"` // best first
	// Stores are the answer to a demand for users: a basis each, the fewest drives first.
	Stores   []Store         `json:"stores,omitempty"`
	Rejected []Rejection     `json:"rejected"` // combinations that a rule forbids
	Warnings []trust.Warning `json:"warnings"` // what the proposals assume
	Text     []string        `json:"text"`     // the answer in words
}

// Met reports whether something meets the demand.
func (s *Sizing) Met() bool {
	return len(s.Proposals) > 0 || slices.ContainsFunc(s.Stores, func(store Store) bool { return store.Count > 0 })
}

// Proposal is one configuration that meets the demand.
type Proposal struct {
	Server     string  `json:"server"`          // model
	Protection string  `json:"protection"`      // such as "replica 3" or "disperse 4+2"
	HotTier    bool    `json:"hot_tier"`        // one NVMe drive a server
	Basis      string  `json:"basis,omitempty"` // the result whose load line was scaled
	Nodes      int     `json:"nodes"`           // servers
	Drives     int     `json:"drives"`          // in all servers together
	Raw        float64 `json:"raw"`             // bytes
	Usable     float64 `json:"usable"`          // bytes
	// Full is the share of Usable that the demand fills.
	Full float64 `json:"full"`
	// LoadLine is the load that it carries; nil without a basis.
	LoadLine *stats.Interval `json:"load_line,omitempty"`
	// Down is how many servers are taken to have failed, at least one; Left is
	// what the others can hold in bytes with full protection, 0 where no whole set
	// is left, and Degraded the load line without them.
	Down     int             `json:"down"`
	Left     float64         `json:"left"`
	Degraded *stats.Interval `json:"degraded,omitempty"`
	// ByNodes is the load line for each number of nodes up to half more.
	ByNodes     []stats.Point `json:"by_nodes,omitempty"`
	Price       float64       `json:"price,omitempty"`        // of all, in the currency of the demand
	PerInstance float64       `json:"per_instance,omitempty"` // price for each instance demanded
	PerTerabyte float64       `json:"per_terabyte,omitempty"` // usable
	// Recommended reports that the optimisation table of the source names it.
	Recommended bool        `json:"recommended"`
	Rules       []FiredRule `json:"rules"` // that shaped it
}

// FiredRule is one rule that shaped a proposal.
type FiredRule struct {
	Rule   string `json:"rule"`   // capacity, fill, performance, media, minimum, set, fault-domain, dense, table, survive, growth, failure
	Text   string `json:"text"`   // its demand
	Source string `json:"source"` // where the rule is from
}

// Rejection is a combination that a rule forbids.
type Rejection struct {
	Server     string    `json:"server"`     // model
	Protection string    `json:"protection"` // scheme
	Rule       FiredRule `json:"rule"`       // that forbids it
}

// maxNodes is the largest pool of the source ("up to 128 storage servers").
const maxNodes = 128

// Size proposes configurations for a demand, from measured or published load
// lines. Without a basis it sizes for capacity alone and says so.
func Size(d *Demand, bases []Basis) (*Sizing, error) {
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("size the demand: %w", err)
	}
	if d.Users > 0 {
		return sizeUsers(d, bases)
	}
	for _, b := range bases {
		if b.ofUser {
			return nil, fmt.Errorf("size from %s: its ladder counts %ss and not instances; write users in place of instances, for which drives are counted", b.Name, b.Noun)
		}
		if b.Nodes < 1 || !(b.LoadLine.Value >= 1) || math.IsInf(b.LoadLine.Value, 0) {
			return nil, fmt.Errorf("size from %s: it carries %v instances on %d nodes, which cannot be scaled", b.Name, b.LoadLine.Value, b.Nodes)
		}
	}
	s := &Sizing{Demand: d, Needed: needed(d), Proposals: []Proposal{}, Rejected: []Rejection{}, Warnings: []trust.Warning{}}
	if len(bases) == 0 {
		s.Warnings = append(s.Warnings, trust.Warn(trust.Unmeasured, trust.Serious, trust.UnmeasuredBasis))
		bases = []Basis{{}}
	}
	for _, server := range serversOf(d) {
		for _, p := range protectionsOf(d) {
			for _, b := range basesFor(bases, server.Name) {
				s.add(d, server, p, b)
			}
		}
		s.warnOfMedia(server, basesFor(bases, server.Name))
	}
	s.noteServers()
	s.notePrices()
	sortProposals(s.Proposals)
	s.assumeStorage(bases)
	s.Text = append(s.Text, s.conclusions()...)
	warning.Write(s.Warnings)
	return s, nil
}

// assumeStorage says of the bases that proposals of more nodes were scaled from that nothing
// limited them, where that is so.
func (s *Sizing) assumeStorage(bases []Basis) {
	for _, b := range bases {
		scaled := func(p Proposal) bool { return p.Basis == b.Name && p.Nodes > b.Nodes }
		if b.Nodes > 0 && b.Limiting == "" && b.carries(b.Nodes).Low < float64(s.Demand.Instances) && slices.ContainsFunc(s.Proposals, scaled) {
			s.assume(b, "node")
		}
	}
}

// assume says before anything else that more of what a line was measured on may not raise it:
// nothing that was measured shows that it limits.
func (s *Sizing) assume(b Basis, unit string) {
	s.Text = append(s.Text, say.F("This assumes that more %ss raise the load line of %s: nothing that was measured there limits it.", unit, b.Name))
	s.Warnings = append(s.Warnings, trust.Warn(trust.NotLimiting, trust.Caution, trust.NotLimitingBasis, trust.Name(b.Name)))
}

func needed(d *Demand) float64 {
	return float64(d.Instances) * float64(d.Capacity) * math.Pow(1+float64(d.Growth), d.Years)
}

// serversOf are the demand's server models, or the source's if it has none.
func serversOf(d *Demand) []ServerModel {
	if len(d.Servers) > 0 {
		return d.Servers
	}
	return []ServerModel{
		{Name: "standard", Drives: 12, Drive: 6e12, Media: "hdd"},
		{Name: "dense", Drives: 24, Drive: 6e12, Media: "hdd", Dense: true},
	}
}

func protectionsOf(d *Demand) []protection.Scheme {
	if len(d.Protections) == 0 {
		return sourceProtections()
	}
	out := make([]protection.Scheme, 0, len(d.Protections))
	for _, text := range d.Protections {
		if p, err := protection.Parse(text); err == nil { // Check has refused the others
			out = append(out, p)
		}
	}
	return out
}

// basesFor are the bases for a server model, or for any model.
func basesFor(bases []Basis, server string) []Basis {
	var own, rest []Basis
	for _, b := range bases {
		switch b.Server {
		case server:
			own = append(own, b)
		case "":
			rest = append(rest, b)
		}
	}
	if len(own) > 0 {
		return own
	}
	if len(rest) > 0 {
		return rest
	}
	return []Basis{{}}
}

// add sizes one combination: it becomes a proposal, or a rejection by the
// rule that forbids it.
func (s *Sizing) add(d *Demand, server ServerModel, p protection.Scheme, b Basis) {
	c := combination{demand: d, server: server, protection: p, basis: b, needed: s.Needed}
	proposal, forbidden := c.propose()
	if forbidden != nil {
		s.Rejected = append(s.Rejected, Rejection{Server: server.Name, Protection: p.Name(), Rule: *forbidden})
		return
	}
	s.Proposals = append(s.Proposals, proposal)
}

// sortProposals puts what the source recommends first, then the cheaper, or
// without prices the one with fewer drives.
func sortProposals(all []Proposal) {
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.Recommended != b.Recommended {
			return a.Recommended
		}
		if a.Price != b.Price {
			return a.Price < b.Price
		}
		return a.Drives < b.Drives
	})
}

// reasons are what forbids every combination, each once; there is always one of
// them for each server and protection.
func (s *Sizing) reasons() string {
	var texts []string
	for _, r := range s.Rejected {
		if !slices.Contains(texts, r.Rule.Text) {
			texts = append(texts, r.Rule.Text)
		}
	}
	return strings.Join(texts, "; ")
}

func (s *Sizing) conclusions() []string {
	if len(s.Proposals) == 0 {
		return []string{say.F("No configuration meets the demand under the sizing rules: %s.", s.reasons())}
	}
	out := make([]string, 0, len(s.Proposals))
	for _, p := range s.Proposals {
		out = append(out, s.sentence(p))
	}
	return out
}

// sentence is a proposal in words.
func (s *Sizing) sentence(p Proposal) string {
	text := say.F("%s, %s%s: %d drives, %s raw, %s usable for %s needed (%s)", say.Count(p.Nodes, p.Server+" server"), p.Protection,
		hotTierText(p.HotTier), p.Drives, terabytes(p.Raw), terabytes(p.Usable), terabytes(s.Needed), fullText(p.Full))
	if p.LoadLine != nil {
		text += say.F("; carries %s instances", LineText(*p.LoadLine))
	}
	text += say.F("; without %s: %s", say.Count(p.Down, "server"), s.leftText(p))
	if p.Degraded != nil {
		text += say.F(", carries %s instances", LineText(*p.Degraded))
	}
	if p.Price > 0 {
		text += say.F("; %s %s, %s an instance", words.Thousands(p.Price), s.Demand.Currency, words.Money(p.PerInstance))
	}
	if p.Recommended {
		text += say.F("; recommended by the source")
	}
	return text + "."
}

// hardlyFull is the share below which the room is said to be far more than needed.
const hardlyFull = 0.1

func fullText(share float64) string {
	text := say.F("%s full", words.Percent(share))
	if share < 0.001 {
		text = say.F("less than 0.1 %% full")
	}
	if share < hardlyFull {
		text += say.F(": the number of servers is needed, the room is not, and smaller or fewer drives would hold it")
	}
	return text
}

// leftText is what a pool holds without the servers that failed. One that has lost no more
// than its redundancy still has everything.
func (s *Sizing) leftText(p Proposal) string {
	if p.Left > 0 {
		return say.F("%s usable with full protection", terabytes(p.Left))
	}
	if of, err := protection.Parse(p.Protection); err == nil && p.Down > of.Redundant {
		return say.F("data are out of reach")
	}
	return say.F("all data stay accessible, but no complete set of servers is left to restore full protection")
}

// noteServers says which servers were taken where the demand names none.
func (s *Sizing) noteServers() {
	if len(s.Demand.Servers) > 0 {
		return
	}
	var models []string
	for _, m := range serversOf(s.Demand) {
		models = append(models, say.F("%s (%d %s of %s)", m.Name, m.Drives, mediaNames[m.Media], m.Drive))
	}
	s.Warnings = append(s.Warnings, trust.Warn(trust.SourceServers, trust.Note, trust.SourceModels, trust.Names(models)))
}

// notePrices says why proposals have no price.
func (s *Sizing) notePrices() {
	var without []string
	for _, m := range serversOf(s.Demand) {
		if m.Price == 0 && m.DrivePrice == 0 {
			without = append(without, m.Name)
		}
	}
	if without != nil {
		s.Warnings = append(s.Warnings, trust.Warn(trust.NoPrice, trust.Note, trust.NoPriceOf, trust.Names(without)))
	}
}

func hotTierText(hot bool) string {
	if hot {
		return say.F(", each with one NVMe drive as a hot tier")
	}
	return ""
}
