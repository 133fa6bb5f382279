package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/text/sanitize"
	"plimsoll/internal/text/words"
)

// exclusions are the instances that failed by themselves and that the study tolerates, in the
// order of their failures.
type exclusions struct {
	mu   sync.Mutex
	list []exclusion
}

// exclusion is one of them.
type exclusion struct {
	result.Exclusion
	member *member
}

// ending is the end of a server, or a failed attempt to bring one back.
type ending struct {
	instance *instance.Instance // nil where the failure is not one that an instance may have by itself
	err      error
}

// tooManyError is the error of a trial in which more instances failed than the study tolerates.
type tooManyError struct{ error }

func (e tooManyError) Unwrap() error { return e.error }

// mostReasons is how many failures the error names when there are too many.
const mostReasons = 3

// exclude takes instances of one member, which failed for a reason that was theirs, out of
// the trial. The error is why the trial has to fail: the reason itself where the study
// tolerates no failures, or else with how many failed and how many it tolerates. Instances
// that were set aside before count once.
func (t *trial) exclude(some []*instance.Instance, why error) error {
	if t.tolerance() == 0 || len(some) == 0 {
		return why
	}
	of := t.memberOf(some[0])
	if of.result.Profile.Fixed && t.stage == result.StageDrive {
		return why // it cannot finish its work any more, and the trial measures the work of all instances
	}
	fresh, err := t.addExclusions(of, some, why)
	for _, a := range fresh {
		t.say(progress.Event{Kind: progress.Note, Text: fmt.Sprintf("%s is set aside: %s", a.Whose(), a.Briefly())})
	}
	return err
}

// addExclusions adds those that were not set aside before, all or none, and gives them.
func (t *trial) addExclusions(of *member, some []*instance.Instance, why error) (fresh []exclusion, err error) {
	t.excluded.mu.Lock()
	defer t.excluded.mu.Unlock()
	for _, i := range some {
		if !t.excluded.has(i) {
			fresh = append(fresh, exclusion{t.exclusionNow(i, why), of})
		}
	}
	before := t.excluded.ofMember(of)
	if most := t.tolerance().Of(len(of.instances)); len(before)+len(fresh) > most {
		if len(fresh) == 1 {
			why = fmt.Errorf("%s: %w", fresh[0].Whose(), why)
		}
		return nil, tooManyError{of.blame(t.exceeded(of, before, len(before)+len(fresh), most, why))}
	}
	for _, a := range fresh {
		if a.Stage == result.StageDrive && len(t.excluded.list) < mostMarked {
			t.happened(result.Event{At: a.At, Text: a.Whose() + " was set aside: " + a.Briefly()})
		}
		t.excluded.list = append(t.excluded.list, a)
	}
	return fresh, nil
}

// mostMarked is how many instances are among the events, which charts mark.
const mostMarked = 20

// exclusionNow describes an instance that fails now: the stage, the time and the reason.
func (t *trial) exclusionNow(i *instance.Instance, why error) result.Exclusion {
	at := time.Now()
	var timed timedError
	if errors.As(why, &timed) {
		at = timed.at
	}
	a := result.Exclusion{Member: i.App.Variant.Member, Instance: i.Number, Stage: t.stage, At: at, Reason: sanitize.Masked(why.Error())}
	switch r := t.result; {
	case t.stage != result.StageDrive:
	case at.Before(r.Start): // when drivers begin
		a.Stage = result.StageStart
	case at.Before(r.MeasureEnd):
		a.Phase = result.Phase(t.phaseAt(int(at.Sub(r.Start).Seconds())))
	}
	return a
}

// exceeded says how many of a member's instances failed, how many are tolerated, and why the
// first did.
func (t *trial) exceeded(of *member, before []exclusion, failed, most int, why error) error {
	var reasons []string
	for _, a := range before[:min(len(before), mostReasons-1)] {
		reasons = append(reasons, a.Whose()+": "+a.Briefly())
	}
	if more := len(before) - len(reasons); more > 0 {
		reasons = append(reasons, fmt.Sprintf("%d more", more))
	}
	tolerated := fmt.Sprintf("the study tolerates %s (tolerate: %v)", words.Whole(most), t.tolerance())
	if most == 0 {
		tolerated = fmt.Sprintf("tolerate: %v is less than one of so few", t.tolerance())
	}
	text := fmt.Sprintf("%s of %s failed, and %s: ", words.Whole(failed), words.Count(len(of.instances), "instance"), tolerated)
	if len(reasons) > 0 {
		text += strings.Join(reasons, "; ") + "; then "
	}
	return fmt.Errorf("%s%w", text, why)
}

func (a *exclusions) has(i *instance.Instance) bool {
	return slices.ContainsFunc(a.list, func(one exclusion) bool { return one.is(i) })
}

// was keeps on which machine an instance was, the first that is known.
func (a *exclusions) was(i *instance.Instance, node string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n := range a.list {
		if one := &a.list[n]; one.is(i) && one.Node == "" {
			one.Node = node
		}
	}
}

// is reports whether it is of an instance.
func (e exclusion) is(i *instance.Instance) bool {
	return e.member.Application == i.App && e.Instance == i.Number
}

// ofMember returns the exclusions of one member.
func (a *exclusions) ofMember(m *member) (all []exclusion) {
	for _, one := range a.list {
		if one.member == m {
			all = append(all, one)
		}
	}
	return all
}

// without are some instances less those that were set aside.
func (a *exclusions) without(some []*instance.Instance) []*instance.Instance {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.list) == 0 {
		return some
	}
	return slices.DeleteFunc(slices.Clone(some), a.has)
}

// numbers returns the numbers of a member's instances that were set aside; nil if there are none.
func (a *exclusions) numbers(m *member) map[int]bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all map[int]bool
	for _, one := range a.ofMember(m) {
		if all == nil {
			all = map[int]bool{}
		}
		all[one.Instance] = true
	}
	return all
}

// working returns the instances that were not set aside: of the trial, and of one member.
func (t *trial) working() []*instance.Instance { return t.excluded.without(t.instances) }

func (m *member) working() []*instance.Instance { return m.t.excluded.without(m.instances) }

// isGone reports whether an instance was set aside.
func (t *trial) isGone(i *instance.Instance) bool {
	t.excluded.mu.Lock()
	defer t.excluded.mu.Unlock()
	return t.excluded.has(i)
}

// gone are the instances that were set aside.
func (t *trial) gone() []*instance.Instance {
	t.excluded.mu.Lock()
	defer t.excluded.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.instances), func(i *instance.Instance) bool { return !t.excluded.has(i) })
}

// tolerantly does something for an instance, and sets it aside where that fails.
func (t *trial) tolerantly(do func(*instance.Instance, context.Context) error) func(*instance.Instance, context.Context) error {
	return func(i *instance.Instance, ctx context.Context) error {
		err := do(i, ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		return t.exclude([]*instance.Instance{i}, err)
	}
}

// lost handles a driver that ended early: it sets the driver's instances aside if the study
// tolerates so many, and their records are left out. Otherwise it returns the error of the trial.
func (t *trial) lost(d *instanceDriver) error {
	why := d.failure()
	if why == nil || d.lost {
		return nil
	}
	err := t.exclude(d.instances, why)
	d.lost = err == nil
	return err
}

// endGone ends what still runs of instances that were set aside, so that it does not keep
// the storage from others. What cannot be ended is noted.
func (t *trial) endGone() {
	for _, i := range t.gone() {
		i.ExpectEnd()
		if err := i.Kill(context.Background()); err != nil {
			t.note(fmt.Sprintf("%s, which was set aside, could not be ended: %v", i.Name, err))
		}
	}
}

// unanswered sets the instances aside whose servers ended before users were at work, and
// reports whether there were any.
func (t *trial) unanswered() (some bool, err error) {
	if t.tolerance() == 0 {
		return false, nil
	}
	for _, i := range t.working() {
		if i.Away() {
			some = true
			if err := t.exclude([]*instance.Instance{i}, fmt.Errorf("%s: a server of it ended before users were at work", i.Name)); err != nil {
				return true, err
			}
		}
	}
	return some, nil
}

// noteExclusions writes the instances that were set aside into the result, with the places of
// kept logs in the reasons, and the machines that their servers were on.
func (t *trial) noteExclusions(kept *strings.Replacer) {
	t.excluded.mu.Lock()
	defer t.excluded.mu.Unlock()
	var all []result.Exclusion
	for _, m := range t.members {
		for _, a := range t.excluded.ofMember(m) {
			a.Reason = kept.Replace(a.Reason)
			all = append(all, a.Exclusion)
		}
		own := all[len(all)-len(t.excluded.ofMember(m)):]
		slices.SortFunc(own, func(a, b result.Exclusion) int { return a.Instance - b.Instance })
	}
	t.result.SetAside = all
}

// leaveOut takes what was sampled of the servers of instances that were set aside out of the
// trial's series, and keeps on which machines they were.
func (t *trial) leaveOut(series []result.Series) []result.Series {
	owner := map[string]*instance.Instance{}
	for _, i := range t.gone() {
		for _, s := range i.Servers {
			owner[s.Name] = i
		}
	}
	if len(owner) == 0 {
		return series
	}
	return slices.DeleteFunc(series, func(s result.Series) bool {
		name, _, _ := strings.Cut(s.Name, "/")
		i := owner[name]
		if i == nil || !slices.Contains([]string{describe.InstanceKind, describe.GaugeKind, describe.TimeKind, describe.WaitKind}, s.Kind) {
			return false
		}
		if s.Machine != result.LocalMachine {
			t.excluded.was(i, s.Machine)
		}
		return true
	})
}
