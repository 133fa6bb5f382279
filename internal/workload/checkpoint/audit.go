package checkpoint

import (
	"context"
	"errors"
	"maps"
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// Audit restores every checkpoint that was acknowledged and not removed: each must be complete,
// with all its shards as they were written, and no other may be complete.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, receipts workload.Receipts) (result describe.Audit, err error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return result, err
	}
	err = fileio.OnPrepared(t, own.owner(t.Instance), func(root *fileio.Root, volume uint64) error {
		a := audit{known: newKnown(volume, max(1, t.Users)), root: root}
		if err := receipts.Each(a.known.add); err != nil {
			return err
		}
		err := parallelio.WithTeam(own.ranks(), int(own.WriteSize), seed, func(team *parallelio.Team) error {
			for user := range a.known.jobs {
				if err := a.job(ctx, store{Home: fileio.Home{Volume: volume}, p: own, user: user, team: team}); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			result = a.result(t.Instance)
		}
		return err
	})
	return result, err
}

// audit is one instance while it is audited.
type audit struct {
	known *claims
	root  *fileio.Root
	sum   describe.Audit

	lacking, again, strange int64 // checkpoints
	wrong, others           fileio.Examples
}

// job looks at the checkpoints of one.
func (a *audit) job(ctx context.Context, s store) (err error) {
	all := a.known.jobs[s.user]
	a.account(all)
	var whole []int64
	if s.Dir, err = a.root.Dir(fileio.DirOf(top, s.user)); err == nil {
		defer func() { err = errors.Join(err, s.Leave()) }()
		whole = a.complete(s, all)
	}
	why := err
	for _, number := range slices.Sorted(maps.Keys(all)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.checkpoint(ctx, s, number, slices.Contains(whole, number), why)
	}
	return nil
}

// account looks for checkpoints that no receipt mentions, and for contradictory receipts.
func (a *audit) account(all map[int64]state) {
	last := slices.Max(slices.Collect(maps.Keys(all)))
	spoken := int64(0)
	for _, what := range all {
		if what&^(removed|twice) != 0 {
			spoken++
		}
		if what.is(twice) {
			a.again++
		}
	}
	a.lacking += last + 1 - spoken
}

// complete lists the checkpoints that say that they are, and notes those that must not.
func (a *audit) complete(s store, all map[int64]state) []int64 {
	whole, _, err := s.found()
	if err != nil {
		a.strange++
		a.others.Add("%v", err)
	}
	for _, number := range whole {
		if all[number]&(acknowledged|inDoubt|removed) == 0 {
			a.strange++
			a.others.Add("%s/%s: nobody acknowledged it", s.Dir.Path(), nameOf(number, complete))
		}
	}
	return whole
}

// checkpoint looks at one. Why says that the job's directory cannot be opened.
func (a *audit) checkpoint(ctx context.Context, s store, number int64, whole bool, why error) {
	switch what := a.known.jobs[s.user][number]; {
	case what.is(removed):
	case what.is(acknowledged):
		a.sum.Acknowledged++
		if why == nil {
			why = a.restore(ctx, s, number, whole)
		}
		if why == nil {
			a.sum.Present++
			return
		}
		a.wrong.Add("checkpoint %d of job %d: %v", number, s.user, why)
	case what.is(inDoubt):
		a.sum.Doubtful++
	}
}

// restore reads all of one.
func (a *audit) restore(ctx context.Context, s store, number int64, whole bool) error {
	if !whole {
		return errors.New("it is not marked as complete")
	}
	if err := s.checkMark(number); err != nil {
		return err
	}
	_, err := s.read(ctx, number)
	return err
}

func (a *audit) result(instance int) describe.Audit {
	a.sum.Instance = instance
	a.sum.Checks = []describe.Check{
		fileio.Check(checkWhole, a.sum.Acknowledged, a.sum.Present, a.wrong),
		fileio.Check(checkSpoken, 0, a.lacking, nil),
		fileio.Check(checkOnce, 0, a.again, nil),
		fileio.Check(checkNoOther, 0, a.strange, a.others),
	}
	return a.sum
}

// The names of the checks.
const (
	checkWhole   = "every checkpoint that was acknowledged and not removed can be read whole"
	checkSpoken  = "checkpoints of which no job says what became of them"
	checkOnce    = "checkpoints that were acknowledged twice"
	checkNoOther = "complete checkpoints that nobody acknowledged"
)
