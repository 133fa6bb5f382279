package study

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/text/unit"
)

// CutPower is the verb that cuts the power of the whole storage, or of a part of it. Writes
// that no completed flush covers may be lost; file systems and servers recover from the rest.
const CutPower = "cut power"

// KillInstance is the verb of the campaign.
const KillInstance = "kill instance"

// CampaignEvents declares what a campaign does itself, with every storage class.
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

// refuse says why an actor cannot do an event after the earlier ones.
func (a Actor) refuse(do string, earlier []string) string {
	err := a.Check(do, earlier)
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

// Resolve finds who does an event: the first that has its verb. The error is of the last
// actor where none has.
func Resolve(actors []Actor, do string) (by Actor, e event.Event, err error) {
	for _, by = range actors {
		e, err = by.Parse(do)
		if err == nil || !errors.Is(err, event.ErrUnknown) {
			return by, e, err
		}
	}
	if err == nil {
		err = fmt.Errorf("nothing can %q", do)
	}
	return Actor{}, event.Event{}, err
}

// Moment is one event of a timeline.
type Moment struct {
	At   time.Duration // after the start of the measured phase
	Do   string
	from int    // as in Event
	path string // where the study says it: "faults.0"
}

// Timeline lists what the study has done during the measured phase of a trial with some
// instances, in the order of time. undo gives what ends the effect of an event, if anything
// does.
func (s *Study) Timeline(instances int, undo func(do string) (string, bool)) (all []Moment) {
	for _, m := range s.moments(undo) {
		if instances >= m.from {
			all = append(all, m)
		}
	}
	return all
}

// moments are those of a trial with all instances that any event wants.
func (s *Study) moments(undo func(do string) (string, bool)) (all []Moment) {
	for _, list := range []struct {
		name   string
		events []Event
	}{{"faults", s.Faults}, {"events", s.Events}} {
		for i, e := range list.events {
			all = append(all, e.moments(fmt.Sprintf("%s.%d", list.name, i), s.Phases.Measure.D(), undo)...)
		}
	}
	slices.SortStableFunc(all, func(a, b Moment) int { return cmp.Compare(a.At, b.At) })
	return all
}

// moments are those of one event: each repetition, and where its effect is ended.
func (e Event) moments(path string, measure time.Duration, undo func(string) (string, bool)) (all []Moment) {
	for at := e.At.D(); ; at += e.Every.D() {
		all = append(all, Moment{at, e.Do, e.From, path})
		if back, ok := undo(e.Do); ok && e.For > 0 {
			all = append(all, Moment{at + e.For.D(), back, e.From, path})
		}
		if e.Every <= 0 || at+e.Every.D() >= measure {
			return all
		}
	}
}

// EventProblem is an event that a study cannot have.
type EventProblem struct {
	Path   string // faults.0.do
	Event  string // fault 1 at 3s
	Reason string
}

// EventProblems lists the events that some rung does not have the instance for, or that
// neither the platform nor the storage class nor an engine of some variant can do. Each is
// listed once.
func (s *Study) EventProblems(variants []Variant) (all []EventProblem) {
	refused := map[string]bool{}
	refuse := func(path, title, reason string) {
		if reason != "" && !refused[path] {
			refused[path] = true
			all = append(all, EventProblem{path, title, reason})
		}
	}
	for _, v := range variants {
		actors, known := s.actors(v)
		if !known {
			continue // what is wrong is already noted
		}
		var before []string
		for _, m := range s.moments(func(do string) (string, bool) { return Undo(actors, do) }) {
			refuse(m.path+".do", fmt.Sprintf("%s at %s", title(m.path), unit.Duration(m.At)), s.refuses(actors, m, before, v))
			before = append(before, m.Do)
		}
		if end := s.Phases.End; end == CutPower {
			refuse("phases.end", "the end of the load", s.refuses(actors, Moment{Do: end}, before, v))
		}
	}
	return all
}

// title makes "fault 1" of "faults.0".
func title(path string) string {
	list, index, _ := strings.Cut(path, ".")
	n, _ := strconv.Atoi(index)
	return fmt.Sprintf("%s %d", strings.TrimSuffix(list, "s"), n+1)
}

// actors are those of a variant's trials, in the order in which they are asked. It is not
// known while the parameters of the platform or the storage are wrong.
func (s *Study) actors(v Variant) (all []Actor, known bool) {
	all = []Actor{{CampaignEvents(), ByCampaign, "every study"}}
	kind, chosen := s.vocabulary.Platforms[s.Platform.Name], s.Platform.Parameters
	if kind.Events != nil {
		if !kind.takes(chosen) {
			return nil, false
		}
		all = append(all, Actor{kind.Events(chosen), ByPlatform, s.Platform.Name})
	}
	for _, name := range s.enginesOf(v.Tile()) {
		if declared, ok := s.vocabulary.EngineEvents[name]; ok {
			all = append(all, Actor{declared, ByEngine, name})
		}
	}
	class, is := s.vocabulary.Classes[v.Storage.Class]
	if !is || !class.takes(v.Storage.Parameters) {
		return nil, false
	}
	if class.Events != nil {
		all = append(all, Actor{class.Events(v.Storage.Parameters), ByStorage, v.StorageName})
	}
	return all, true
}

// takes reports whether parameters were read and are valid.
func (t VocabularyEntry) takes(parameters any) bool {
	return parameters != nil && (t.Validate == nil || len(t.Validate(parameters)) == 0)
}

// enginesOf lists the engines whose servers the instances of a tile have, each once.
func (s *Study) enginesOf(tile []Variant) (names []string) {
	for _, v := range tile {
		for _, r := range s.vocabulary.Workloads[v.Workload.Name].roles(v.Workload.Parameters, v.names) {
			if name := v.Server(r.Name).Name; name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// refuses says why the trials of a variant cannot have an event after others.
func (s *Study) refuses(actors []Actor, m Moment, before []string, v Variant) string {
	if m.Do == "" {
		return "the " + strings.Fields(title(m.path))[0] + " has no action"
	}
	by, e, err := Resolve(actors, m.Do)
	if errors.Is(err, event.ErrUnknown) {
		return s.unknown(actors, m.Do, v, err)
	}
	if reason := by.refuse(m.Do, before); reason != "" {
		return reason
	}
	if e.OfInstance() {
		return s.lacks(e, m.from, v)
	}
	return ""
}

// unknown says that nobody can do an event, and where it could be done.
func (s *Study) unknown(actors []Actor, do string, v Variant, err error) string {
	var reason string
	if actors[len(actors)-1].Kind == ByStorage {
		reason = fmt.Sprintf("storage %s does not support %q: %v", v.StorageName, do, err)
	} else {
		reason = fmt.Sprintf("storage %s is of class %s, which does not support fault %q; every class supports %q", v.StorageName, v.Storage.Class, do, KillInstance+" N")
	}
	for _, a := range actors {
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
// instances of the variant do not have its role.
func (s *Study) lacks(e event.Event, from int, v Variant) string {
	tile := v.Tile()
	at := slices.IndexFunc(tile, func(one Variant) bool { return one.Member == e.Member })
	if at < 0 {
		var names []string
		for _, one := range tile {
			names = append(names, one.Member)
		}
		switch {
		case len(s.Members) == 0:
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
	return reason
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
	for name, list := range map[string][]Event{"faults": c.study.Faults, "events": c.study.Events} {
		for i, e := range list {
			c.eventTimes(fmt.Sprintf("%s.%d", name, i), e)
			if i > 0 && e.At < list[i-1].At {
				c.wrong(fmt.Sprintf("%s.%d.at", name, i), fmt.Sprintf("%s is listed after %s", e.At, list[i-1].At), name+" in chronological order")
			}
		}
	}
	variants, err := c.study.Expand()
	if err != nil {
		return // the matrix is impossible; that is already noted
	}
	for _, p := range c.study.EventProblems(variants) {
		c.wrong(p.Path, p.Reason, "")
	}
}

// eventTimes checks that an event is within the measured phase, and over before it comes
// again.
func (c *checker) eventTimes(path string, e Event) {
	measure := c.study.Phases.Measure
	if c.unread("phases.measure") {
		return
	}
	if e.At >= measure {
		c.wrong(path+".at", fmt.Sprintf("%s is not within the measured phase, which ends after %s", e.At, measure), "less than phases.measure")
	}
	switch {
	case e.For < 0 || e.Every < 0:
		c.wrong(path, "for and every are spans", "more than 0s")
	case e.At+e.For > measure:
		c.wrong(path+".for", fmt.Sprintf("it ends %s after the start of the measured phase, which ends after %s", e.At+e.For, measure), "within phases.measure")
	case e.Every > 0 && e.For >= e.Every:
		c.wrong(path+".for", fmt.Sprintf("it lasts %s and comes again every %s", e.For, e.Every), "less than every")
	}
}
