package study

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/text/unit"
)

// CutPower is the verb that cuts the power of the whole storage, or of a part of it. Writes
// that no completed flush covers may be lost; file systems and servers recover from the rest.
const CutPower = "cut power"

// KillInstance is the verb of the campaign.
const KillInstance = "kill instance"

// CampaignEvents declares the events that a campaign does itself, with every storage class.
func CampaignEvents() event.Declaration {
	return event.Declaration{Of: "every study", Verbs: []event.Verb{{
		Name: "kill", Object: event.Object{Form: event.Servers, Kind: "instance"}, Breaks: true,
		Note: event.Crash,
		Text: "kills the servers of an instance, or those of one role, and starts them again on the same volumes",
	}}}
}

// ActorKind says who does events.
type ActorKind int

// The kinds of actors.
const (
	ByCampaign ActorKind = iota
	ByPlatform
	ByEngine
	ByStorage
)

// Actor is who can do events in the trials of a variant.
type Actor struct {
	event.Declaration
	Kind ActorKind
	Name string // of the platform, the engine, or the storage
}

// refuse says why an actor cannot do something.
func (a Actor) refuse(do string, err error) string {
	switch {
	case err == nil:
		return ""
	case a.Kind == ByStorage:
		return fmt.Sprintf("storage %s does not support %q: %v", a.Name, do, err)
	case a.Kind == ByPlatform:
		return fmt.Sprintf("platform %s does not support %q: %v", a.Name, do, err)
	}
	return err.Error()
}

// Resolve finds who does an event: the first that has its verb. Where none has, the error is
// event.ErrUnknown of the last.
func Resolve(actors []Actor, do string) (by *Actor, e event.Event, err error) {
	err = event.ErrUnknown
	for i := range actors {
		e, err = actors[i].Parse(do)
		if !errors.Is(err, event.ErrUnknown) {
			return &actors[i], e, err
		}
	}
	return nil, e, err
}

// Listed is an event with its place in the study.
type Listed struct {
	List  string // faults or events
	Index int
	Event
}

// path is the place as problems name it: "faults.0".
func (l Listed) path() string { return fmt.Sprintf("%s.%d", l.List, l.Index) }

// noun names one event of the list.
func (l Listed) noun() string { return strings.TrimSuffix(l.List, "s") }

// AllEvents lists the faults, then the other events.
func (s *Study) AllEvents() (all []Listed) {
	for i, e := range s.Faults {
		all = append(all, Listed{"faults", i, e})
	}
	for i, e := range s.Events {
		all = append(all, Listed{"events", i, e})
	}
	return all
}

// Moment is one event of a timeline.
type Moment struct {
	At   time.Duration // after the start of the measured phase
	Do   string
	from Listed
}

// Timeline lists what the study has done during the measured phase of a trial with some
// instances, in the order of time. undo gives what ends the effect of an event, if anything
// does.
func (s *Study) Timeline(instances int, undo func(do string) (string, bool)) []Moment {
	return slices.DeleteFunc(s.moments(undo), func(m Moment) bool { return instances < m.from.From })
}

// moments lists the timeline of the largest rungs.
func (s *Study) moments(undo func(do string) (string, bool)) (all []Moment) {
	for _, l := range s.AllEvents() {
		all = append(all, l.moments(s.Phases.Measure.D(), undo)...)
	}
	slices.SortStableFunc(all, func(a, b Moment) int { return cmp.Compare(a.At, b.At) })
	return all
}

// mostTimes is how often an event may come in a trial.
const mostTimes = 1000

// times is how often an event comes in a measured phase.
func (e Event) times(measure time.Duration) int {
	if e.Every <= 0 || e.At.D() >= measure {
		return 1
	}
	return int((measure-e.At.D()-1)/e.Every.D()) + 1
}

// moments are each repetition of an event, and where its effect is ended.
func (l Listed) moments(measure time.Duration, undo func(string) (string, bool)) (all []Moment) {
	back, ends := undo(l.Do)
	for n := range min(l.times(measure), mostTimes) {
		at := l.At.D() + time.Duration(n)*l.Every.D()
		all = append(all, Moment{at, l.Do, l})
		if ends && l.For > 0 {
			all = append(all, Moment{at + l.For.D(), back, l})
		}
	}
	return all
}

// EventProblem is an event that a study cannot have.
type EventProblem struct {
	describe.Problem
	Event string // fault 1 at 3s
}

// EventProblems lists the events that some rung does not have the instance for, or that
// neither the platform nor the storage class nor an engine of some variant can do. Each is
// listed once.
func (s *Study) EventProblems(variants []Variant) (all []EventProblem) {
	refused := map[string]bool{}
	refuse := func(path, title, reason string) {
		if reason != "" && !refused[path] {
			refused[path] = true
			all = append(all, EventProblem{describe.Problem{Path: path, Text: reason}, title})
		}
	}
	for _, v := range variants {
		actors, known := s.actors(v)
		if !known {
			continue // the reason is already noted
		}
		h := history{s, v, actors, map[*Actor][]event.Event{}}
		for _, m := range s.moments(func(do string) (string, bool) { return Undo(actors, do) }) {
			title := fmt.Sprintf("%s %d at %s", m.from.noun(), m.from.Index+1, unit.Duration(m.At))
			refuse(m.from.path()+".do", title, h.refuses(m))
		}
		if end := s.Phases.End; end == CutPower {
			refuse("phases.end", "the end of the load", h.refuses(Moment{Do: end}))
		}
	}
	return all
}

// actors lists who can do events in a variant's trials, in the order in which they are asked.
// It is not known while the parameters of the platform or the storage are wrong.
func (s *Study) actors(v Variant) (all []Actor, known bool) {
	all = []Actor{{CampaignEvents(), ByCampaign, "every study"}}
	kind, chosen := s.vocabulary.Platforms[s.Platform.Name], s.Platform.Parameters
	if kind.Events != nil {
		if !kind.takes(chosen) {
			return nil, false
		}
		all = append(all, Actor{kind.Events(chosen), ByPlatform, s.Platform.Name})
	}
	for _, name := range s.enginesOf("", v.Tile()...) {
		if declared, ok := s.vocabulary.EngineEvents[name]; ok {
			all = append(all, Actor{declared, ByEngine, name})
		}
	}
	class, is := s.vocabulary.Classes[v.Storage().Class]
	if !is || !class.takes(v.Storage().Parameters) {
		return nil, false
	}
	if class.Events != nil {
		all = append(all, Actor{class.Events(v.Storage().Parameters), ByStorage, v.StorageName})
	}
	return all, true
}

// takes reports whether parameters were read and are valid.
func (t VocabularyEntry) takes(parameters any) bool {
	return parameters != nil && (t.Validate == nil || len(t.Validate(parameters)) == 0)
}

// enginesOf lists the engines whose servers a run starts in the instances of some variants, in
// one role or, if it is empty, in all; each once.
func (s *Study) enginesOf(role string, of ...Variant) (names []string) {
	for _, v := range of {
		for _, r := range s.vocabulary.Workloads[v.Workload.Name].roles(v.Workload.Parameters, v.names) {
			server := v.Server(r.Name)
			if (role == "" || role == r.Name) && server.Name != "" && server.Existing == nil && !slices.Contains(names, server.Name) {
				names = append(names, server.Name)
			}
		}
	}
	return names
}

// history is the timeline of a variant's trials so far.
type history struct {
	*Study
	variant Variant
	actors  []Actor
	effects map[*Actor][]event.Event // events that broke or repaired something
}

// refuses says why an event cannot come next, or notes it.
func (h history) refuses(m Moment) string {
	if m.Do == "" {
		return "the " + m.from.noun() + " has no action"
	}
	by, e, err := Resolve(h.actors, m.Do)
	if by == nil {
		return h.unknown(m.Do, err)
	}
	if err == nil {
		err = by.Check(e, h.effects[by])
	}
	if err == nil && (e.Verb.Breaks || e.Verb.Repairs()) {
		h.effects[by] = append(h.effects[by], e)
	}
	if err == nil && e.OfInstance() {
		return h.lacks(by.Kind, e, m.from.From)
	}
	return by.refuse(m.Do, err)
}

// unknown says that nobody can do an event, and where it could be done.
func (h history) unknown(do string, err error) string {
	s, v := h.Study, h.variant
	var reason string
	if last := h.actors[len(h.actors)-1]; last.Kind == ByStorage {
		reason = last.refuse(do, err)
	} else {
		reason = fmt.Sprintf("storage %s is of class %s, which does not support fault %q; every class supports %q", v.StorageName, v.Storage().Class, do, KillInstance+" N")
	}
	for _, a := range h.actors {
		if a.Kind == ByEngine {
			reason += fmt.Sprintf("; engine %s supports: %s", a.Name, strings.Join(a.Usages(), ", "))
		}
	}
	for _, name := range sortedKeys(s.vocabulary.Platforms) {
		if events := s.vocabulary.Platforms[name].Events; name != s.Platform.Name && events != nil && events(nil).Begins(do) {
			return reason + fmt.Sprintf("; it is a fault of platform %s: add `platform: %s` to the study", name, name)
		}
	}
	if here := s.vocabulary.Platforms[s.Platform.Name]; here.Events != nil {
		_, err := here.Events(s.Platform.Parameters).Parse(do)
		return reason + fmt.Sprintf("; platform %s: %v", s.Platform.Name, err)
	}
	return reason
}

// lacks says that the smallest rung with an event does not have its instance, or that the
// instances of the variant have no servers for it.
func (h history) lacks(by ActorKind, e event.Event, from int) string {
	s, tile := h.Study, h.variant.Tile()
	at := slices.IndexFunc(tile, func(one Variant) bool { return one.Member == e.Member })
	if at < 0 {
		var names []string
		for _, one := range tile {
			names = append(names, one.Member)
		}
		switch {
		case !HasMembers(s.Members):
			return fmt.Sprintf("the study has no members, and none is %q: leave out of %s", e.Member, e.Member)
		case e.Member == "":
			return fmt.Sprintf("each member numbers its own instances: add of and a member, one of %s", strings.Join(names, ", "))
		}
		return fmt.Sprintf("there is no member %q, only %s", e.Member, strings.Join(names, ", "))
	}
	reason := s.lacksInstance(e, from, tile[at].Weight)
	if reason == "" && e.Role != "" {
		reason = s.lacksRole(e, tile[at])
	}
	if reason == "" && by == ByEngine {
		reason = s.lacksEngine(e, tile[at])
	}
	return reason
}

// lacksEngine says that no server that an event is about has an engine that can do it.
func (s *Study) lacksEngine(e event.Event, v Variant) string {
	engines := s.enginesOf(e.Role, v)
	if slices.ContainsFunc(engines, func(name string) bool {
		_, err := s.vocabulary.EngineEvents[name].Parse(e.Text)
		return err == nil
	}) {
		return ""
	}
	return fmt.Sprintf("no server of it can %s: a run starts only %s there", e.Verb.Name, cmp.Or(strings.Join(engines, ", "), "servers of no engine"))
}

// lacksInstance says that the smallest rung of at least from instances, or tiles with so many
// instances of the member each, does not have one.
func (s *Study) lacksInstance(e event.Event, from, weight int) string {
	smallest := s.Ladder.From
	if !s.Ladder.Auto && len(s.Ladder.Rungs) > 0 {
		smallest = s.Ladder.Rungs[0]
	}
	smallest = max(s.Ladder.Instances(smallest), from)
	n, most := e.Number, smallest*weight
	switch {
	case e.Member != "" && n >= most:
		return fmt.Sprintf("instance %d of %s does not exist at the smallest rung, only 0 to %d", n, e.Member, most-1)
	case n >= 0 && n < most:
		return ""
	case smallest == 1:
		return fmt.Sprintf("instance %d does not exist at the rung of 1 instance, only 0", n)
	}
	return fmt.Sprintf("instance %d does not exist at the rung of %d instances, only 0 to %d", n, smallest, smallest-1)
}

// lacksRole says that the instances of a variant have no servers of an event's role, or
// none of ours where it breaks them.
func (s *Study) lacksRole(e event.Event, v Variant) string {
	roles := s.vocabulary.Workloads[v.Workload.Name].roles(v.Workload.Parameters, v.names)
	switch {
	case len(roles) == 0:
		return "" // that is already noted
	case !slices.ContainsFunc(roles, func(r Role) bool { return r.Name == e.Role }):
		return fmt.Sprintf("the instances of variant %s have no servers of role %q, only %s", v.Name, e.Role, namesOf(roles))
	case e.Verb.Breaks && v.Server(e.Role).Existing != nil:
		return fmt.Sprintf("the server of role %s is an existing one, which is not killed", e.Role)
	}
	return ""
}

// Undo gives what ends the effect of an event.
func Undo(actors []Actor, do string) (text string, ok bool) {
	by, e, err := Resolve(actors, do)
	if err != nil {
		return "", false
	}
	return by.Undo(e)
}

// events checks their times, and what they do to each variant.
func (c *checker) events() {
	var before Listed
	for _, l := range c.study.AllEvents() {
		c.eventTimes(l)
		if before.List == l.List && l.At < before.At {
			c.wrong(l.path()+".at", fmt.Sprintf("%s is listed after %s", l.At, before.At), l.List+" in chronological order")
		}
		before = l
	}
	variants, err := c.study.Expand()
	if err != nil {
		return // the matrix is impossible; that is already noted
	}
	for _, p := range c.study.EventProblems(variants) {
		c.wrong(p.Path, p.Text, "")
	}
}

// eventTimes checks that an event is within the measured phase, and over before it comes
// again.
func (c *checker) eventTimes(l Listed) {
	measure := c.study.Phases.Measure
	if c.unread("phases.measure") {
		return
	}
	if l.At >= measure {
		c.wrong(l.path()+".at", fmt.Sprintf("%s is not within the measured phase, which ends after %s", l.At, measure), "less than phases.measure")
	}
	switch times := l.times(measure.D()); {
	case l.For < 0 || l.Every < 0:
		c.wrong(l.path(), "for and every are spans", "more than 0s")
	case l.For > measure-l.At:
		c.wrong(l.path()+".for", fmt.Sprintf("it ends %s after the start of the measured phase, which ends after %s", l.At+l.For, measure), "within phases.measure")
	case l.Every > 0 && l.For >= l.Every:
		c.wrong(l.path()+".for", fmt.Sprintf("it lasts %s and comes again every %s", l.For, l.Every), "less than every")
	case times > mostTimes:
		c.wrong(l.path()+".every", fmt.Sprintf("every %s is %d times in the measured phase", l.Every, times), fmt.Sprintf("at most %d times", mostTimes))
	}
}
