package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// injection carries the study's events out while users are at work.
type injection struct {
	failed chan error // of an event that could not be carried out
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// inject begins to carry the events out at their times. What has begun is
// finished even when the users stop meanwhile; ctx ends everything.
func (t *trial) inject(ctx context.Context) *injection {
	j := &injection{failed: make(chan error, 1)}
	users, stop := context.WithCancel(ctx)
	j.stop = stop
	j.done.Go(func() {
		if err := t.events(ctx, users); err != nil {
			j.failed <- err
		}
	})
	return j
}

// end waits for the event that is being carried out and leaves out the rest.
func (j *injection) end() error {
	j.stop()
	j.done.Wait()
	select {
	case err := <-j.failed:
		return err
	default:
		return nil
	}
}

// moments lists what the study has done by some actors during the measured phase of the trial.
func (t *trial) moments(actors []study.Actor) []study.Moment {
	all := t.Plan.Study.Timeline(t.plan.Rung, func(do string) (string, bool) { return study.Undo(actors, do) })
	if t.plan.Alone == "" {
		return all
	}
	return slices.DeleteFunc(all, func(m study.Moment) bool { // of the members that are not there
		_, e, err := study.Resolve(actors, m.Do)
		return err == nil && e.OfInstance() && e.Member != t.plan.Alone
	})
}

func (t *trial) events(ctx, users context.Context) error {
	actors := t.actors()
	moments := t.moments(actors)
	for i, m := range moments {
		if sleepUntil(users, t.result.MeasureStart.Add(m.At)) != nil {
			return nil
		}
		heals, err := t.perform(ctx, actors, m.Do)
		if err != nil {
			return fmt.Errorf("event %q: %w", m.Do, err)
		}
		if heals {
			t.watchHealing(users, moments[i+1:])
		}
	}
	return t.endByPowerCut(ctx, users)
}

// actors lists who can do events in the trial, in the order in which they are asked.
func (t *trial) actors() []study.Actor {
	all := []study.Actor{{Declaration: study.CampaignEvents()}}
	if events := t.Parts.Platform.Capabilities().Events; events != nil {
		all = append(all, study.Actor{Declaration: events(t.Plan.Study.Platform.Parameters), Kind: study.ByPlatform, Name: t.Parts.Platform.Name()})
	}
	for _, m := range t.members {
		for _, r := range m.Roles {
			if actor := app.CapabilitiesOf(r.Engine).Actor; actor != nil {
				all = append(all, study.Actor{Declaration: actor.Events(), Kind: study.ByEngine, Name: r.Engine.Name()})
			}
		}
	}
	main := t.variant.Storage()
	if k, known := t.Parts.Kinds[main.Class]; known && k.Capabilities().Events != nil {
		all = append(all, study.Actor{Declaration: k.Capabilities().Events(main.Parameters), Kind: study.ByStorage, Name: t.variant.StorageName})
	}
	return all
}

// perform does an event. heals reports that it began to give the storage its redundancy back.
func (t *trial) perform(ctx context.Context, actors []study.Actor, do string) (heals bool, err error) {
	by, e, err := study.Resolve(actors, do)
	if err == nil {
		err = e.Verb.Missing
	}
	if err != nil {
		return false, err
	}
	mark := t.mark(e)
	switch {
	case e.Verb.CutsPower && e.Part() == "":
		return false, t.overAfter(mark, t.powerFault(ctx))
	case e.Verb.CutsPower:
		t.degraded = append(t.degraded, mark)
		return false, t.cutStorage(ctx, e.Part())
	case by.Kind == study.ByCampaign:
		return false, t.overAfter(mark, t.killInstance(ctx, e))
	case by.Kind == study.ByEngine:
		return false, t.overAfter(mark, t.engineEvent(ctx, e))
	case by.Kind == study.ByPlatform:
		return false, t.platformEvent(ctx, e, mark)
	}
	return e.Verb.Repairs(), t.storageEvent(ctx, e, mark)
}

// mark notes that an event begins now, and gives its place among the events.
func (t *trial) mark(e event.Event) int {
	text, note := e.Text, ""
	if e.Verb.Note != "" {
		note = " (" + e.Verb.Note + ")"
	}
	if !e.Verb.Breaks && !e.Verb.Repairs() {
		t.say(progress.Event{Kind: progress.Note, Text: text})
		return t.happened(result.Event{At: time.Now(), Text: text + note, Do: text})
	}
	t.say(progress.Event{Kind: progress.Note, Text: "fault: " + text})
	return t.happened(result.Event{At: time.Now(), Text: "fault: " + text + note, Fault: text, Repairs: e.Verb.Repairs()})
}

// over notes that the effects of faults are over, by their marks.
func (t *trial) over(marks ...int) {
	t.noting.Lock()
	defer t.noting.Unlock()
	for _, mark := range marks {
		t.result.Events[mark].Until = time.Now()
	}
}

// overAfter notes that a fault's effect is over, unless what should have ended it failed.
func (t *trial) overAfter(mark int, err error) error {
	if err == nil {
		t.over(mark)
	}
	return err
}

// storageEvent has the variant's storage do something.
func (t *trial) storageEvent(ctx context.Context, e event.Event, mark int) error {
	do := t.mainStorage().Class.Capabilities().Do
	if do == nil {
		return fmt.Errorf("storage class %s does not support %q", t.variant.Storage().Class, e.Text)
	}
	switch {
	case e.Verb.Repairs():
		t.repair = repair{e.Text, time.Now()}
	case e.Verb.Breaks:
		t.degraded = append(t.degraded, mark)
	default:
		return t.overAfter(mark, do(ctx, e, t.volumesOf(e)))
	}
	t.faulted, t.healthy = true, false
	return do(ctx, e, t.volumesOf(e))
}

// instanceOf is the one that an event names; nil if it names none of this trial's.
func (t *trial) instanceOf(e event.Event) *instance.Instance {
	if !e.OfInstance() {
		return nil
	}
	at := slices.IndexFunc(t.instances, func(i *instance.Instance) bool { return i.App.Variant.Member == e.Member && i.Number == e.Number })
	if at < 0 {
		return nil
	}
	return t.instances[at]
}

// named lists the servers that an event is about.
func (t *trial) named(e event.Event) []*instance.Server {
	if i := t.instanceOf(e); i != nil {
		return i.Part(e.Role).Servers
	}
	return nil
}

// volumesOf lists the volumes of the servers that an event is about, on the variant's own storage.
func (t *trial) volumesOf(e event.Event) (all []storage.Volume) {
	for _, s := range t.named(e) {
		for _, h := range s.Mounted() {
			if h.Made != nil && h.Storage.Class == t.mainStorage().Class {
				all = append(all, *h.Made)
			}
		}
	}
	return all
}

// engineEvent has those servers do something whose engines can.
func (t *trial) engineEvent(ctx context.Context, e event.Event) error {
	done := false
	for _, s := range t.named(e) {
		p, actor := s.Current(), app.CapabilitiesOf(s.Engine).Actor
		if p == nil || actor == nil {
			continue
		}
		e, err := actor.Events().Parse(e.Text)
		if err != nil {
			continue // another engine's
		}
		if err := actor.Do(ctx, e, s.Config().AsAdmin(p.Asked())); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		done = true
	}
	if !done {
		return fmt.Errorf("no server that can %s runs at the time", e.Verb.Name)
	}
	return nil
}

// killInstance kills the servers of an instance, or only its servers of one role, and starts them
// again on the same volumes. Its users reconnect by themselves, and so do its servers that use
// other servers.
func (t *trial) killInstance(ctx context.Context, e event.Event) error {
	i := t.instanceOf(e)
	if i == nil {
		return fmt.Errorf("this rung has no such instance among its %d", len(t.instances))
	}
	if t.isGone(i) {
		return fmt.Errorf("%s failed before and was set aside", i.Title())
	}
	part := i.Part(e.Role)
	if part.Away() {
		return fmt.Errorf("%s has not come back from an earlier fault", i.Title())
	}
	began := time.Now()
	if err := t.restart(ctx, part); err != nil {
		return err
	}
	what := i.Title()
	if e.Role != "" {
		what = fmt.Sprintf("role %s of %s", e.Role, what)
	}
	t.event(fmt.Sprintf("%s answers again %.1f s after it was killed", what, time.Since(began).Seconds()))
	return nil
}

// restart kills the servers of an instance and starts them again on the same volumes.
func (t *trial) restart(ctx context.Context, i *instance.Instance) error {
	i.ExpectEnd()
	if err := i.Kill(ctx); err != nil {
		return err
	}
	return t.startAgain(i, ctx)
}

// startAgain starts the servers of an instance that were killed, on the same volumes.
func (t *trial) startAgain(i *instance.Instance, ctx context.Context) error {
	return i.EachServer(func(s *instance.Server) error {
		again, err := s.StartAgain(ctx)
		if again {
			t.report(s, ctx.Done())
		}
		return err
	})
}

// repair is the latest action that began to restore the storage's redundancy.
type repair struct {
	do string
	at time.Time
}

// healLimit bounds the wait for redundancy after the users have gone, and
// healInterval is how often the storage is asked: each time costs it work.
const (
	healLimit    = 5 * time.Minute
	healInterval = 2 * time.Second
)

// watchHealing asks while users are at work, until the storage is healthy or
// the next fault is due.
func (t *trial) watchHealing(users context.Context, next []study.Moment) {
	if len(next) > 0 {
		due, cancel := context.WithDeadline(users, t.result.MeasureStart.Add(next[0].At))
		defer cancel()
		users = due
	}
	class := t.mainStorage().Class.Capabilities().Healer
	for sleepUntil(users, time.Now().Add(healInterval)) == nil {
		if healthy, err := class.Healthy(users); err == nil && healthy {
			t.regained()
			return
		}
	}
}

func (t *trial) regained() {
	t.healthy = true
	t.over(t.degraded...)
	t.degraded = nil
	t.event(fmt.Sprintf("healed: full redundancy %.0f s after %q", time.Since(t.repair.at).Seconds(), t.repair.do))
}

// heal undoes what faults left and waits until redundancy is complete, so that
// the audit sees what was repaired and the next trial starts like this one.
func (t *trial) heal(ctx context.Context) error {
	if err := t.healPlatform(ctx); err != nil || !t.faulted {
		return err
	}
	t.begin("wait for the storage to heal")
	class := t.mainStorage().Class.Capabilities().Healer // faulted says so
	began := time.Now()
	undone, err := class.Repair(ctx)
	for _, do := range undone {
		t.event("after the load: " + do)
		t.healthy, t.repair = false, repair{do, began}
	}
	if err != nil || t.healthy {
		return err
	}
	if t.repair.do == "" {
		t.repair = repair{"the end of the load", began}
	}
	return t.awaitHealing(ctx, class)
}

func (t *trial) awaitHealing(ctx context.Context, class storage.Healer) error {
	ctx, cancel := context.WithTimeout(ctx, healLimit)
	defer cancel()
	for {
		healthy, err := class.Healthy(ctx)
		if healthy {
			t.regained()
			return nil
		}
		if sleepUntil(ctx, time.Now().Add(healInterval)) != nil {
			return errors.Join(fmt.Errorf("the storage has not regained full redundancy %s after %q", words.Span(time.Since(t.repair.at)), t.repair.do), err)
		}
	}
}

// repairStorage undoes what faults left after a trial that failed before it could heal.
// Storage whose power was cut is not used again.
func (t *trial) repairStorage(ctx context.Context) error {
	if !t.faulted || t.healthy || t.powerCuts > 0 {
		return nil
	}
	_, err := t.mainStorage().Class.Capabilities().Healer.Repair(ctx)
	return err
}
