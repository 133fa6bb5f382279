package checkpoint

import (
	"context"
	"errors"
	"time"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// job is a session: a training job that saves checkpoints and restores them.
type job struct {
	store
	numbers map[string]int // of operations, by name
	rounds  int            // so far
	last    int64          // the newest checkpoint that was tried
	held    []int64        // checkpoints that are there or may be, the oldest first
}

func openJob(t workload.Target, p *Parameters, user int, seed uint64) (j *job, err error) {
	home := fileio.Home{Target: t, Owner: p.owner(t.Instance), Path: fileio.DirOf(top, user)}
	j = &job{store: store{Home: home, p: p, user: user}, numbers: map[string]int{}}
	for i, name := range operations() {
		j.numbers[name] = i
	}
	if err := j.Enter(); err != nil {
		return nil, err
	}
	if err := j.resume(); err != nil {
		return nil, errors.Join(err, j.Leave())
	}
	if j.team, err = parallelio.NewTeam(p.ranks(), int(p.WriteSize), seed); err != nil {
		return nil, errors.Join(err, j.Leave())
	}
	return j, nil
}

// resume continues after the last complete checkpoint, and removes incomplete ones that an
// earlier session left.
func (j *job) resume() error {
	whole, parts, err := j.found()
	if err != nil {
		return err
	}
	for _, number := range parts {
		if err := j.discard(number); err != nil {
			return err
		}
	}
	j.held = whole
	if n := len(whole); n > 0 {
		j.last = whole[n-1]
	}
	return nil
}

// Broken implements workload.Session. The loss of a volume does not break the job: it opens
// the volume again by itself, because a new job would not know the state of its
// checkpoints.
func (*job) Broken() bool { return false }

// Close implements workload.Session.
func (j *job) Close() error { return errors.Join(j.Leave(), j.team.Close()) }

// Do implements workload.Session: the next round.
func (j *job) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if j.p.Rounds > 0 && j.rounds >= j.p.Rounds {
		return workload.ErrFinished
	}
	j.rounds++
	err := workload.Timed(rec, j.numbers[opRound], func() error { return j.round(ctx, rec) })
	if err != nil {
		j.Recover()
		return err
	}
	rec.Moved(j.numbers[opRound], 2*j.p.whole())
	j.Recovered()
	return nil
}

// round saves a checkpoint, removes those that are too old, and restores the new one.
func (j *job) round(ctx context.Context, rec workload.Recorder) error {
	number := j.last + 1
	j.last = number
	if err := j.save(ctx, rec, number); err != nil {
		return err
	}
	for len(j.held) > j.p.Keep {
		if err := j.drop(rec); err != nil {
			return err
		}
	}
	if err := parallelio.Forget(j.Dir, j.files(number), j.p.how()); err != nil {
		return err
	}
	return j.restore(ctx, rec, number)
}

// save has every rank write its shard; when the last is on the medium the checkpoint is marked
// as complete.
func (j *job) save(ctx context.Context, rec workload.Recorder, number int64) error {
	began := workload.Now()
	ranks, err := j.write(ctx, number)
	if err == nil {
		err = j.prepareMark(number)
	}
	if err != nil {
		rec.Receipt(j.receipt(number, abandoned))
		_ = j.discard(number) // as far as that is possible: the round has failed already
		rec.Observe(j.numbers[opSave], began, time.Since(began), workload.Failed)
		return err
	}
	err = j.commit(number)
	rec.Observe(j.numbers[opSave], began, time.Since(began), workload.OutcomeOf(err))
	j.held = append(j.held, number)
	if err != nil {
		rec.Receipt(j.receipt(number, inDoubt))
		return err
	}
	rec.Receipt(j.receipt(number, acknowledged))
	rec.Moved(j.numbers[opSave], j.p.whole())
	for _, t := range ranks {
		rec.Observe(j.numbers[opWrite], t.Began, t.Time, workload.Done)
		rec.Observe(j.numbers[opFlush], t.Began.Add(t.Time), t.Flush, workload.Done)
	}
	return nil
}

// drop removes the oldest checkpoint. The audit does not look for it from now on.
func (j *job) drop(rec workload.Recorder) error {
	oldest := j.held[0]
	j.held = j.held[1:]
	rec.Receipt(j.receipt(oldest, removed))
	return workload.Timed(rec, j.numbers[opRemove], func() error { return j.remove(oldest) })
}

// restore has every rank read the shard of the next one.
func (j *job) restore(ctx context.Context, rec workload.Recorder, number int64) error {
	var ranks []parallelio.Timing
	err := workload.Timed(rec, j.numbers[opRestore], func() (err error) {
		ranks, err = j.read(ctx, number)
		return err
	})
	if err != nil {
		return err
	}
	rec.Moved(j.numbers[opRestore], j.p.whole())
	for _, t := range ranks {
		rec.Observe(j.numbers[opRead], t.Began, t.Time, workload.Done)
	}
	return nil
}
