package checkpoint

import (
	"context"
	"errors"
	"time"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// job is a session: a training job that saves checkpoints and restores them.
type job struct {
	store
	target  workload.Target
	numbers map[string]int // of operations, by name
	buffers []byte         // a write's for each rank
	rounds  int            // so far
	last    int64          // the newest checkpoint that was tried
	held    []int64        // checkpoints that are there or may be, the oldest first
	failing int            // rounds that failed since one succeeded
}

func openJob(t workload.Target, p *Parameters, user int, seed uint64) (j *job, err error) {
	j = &job{store: store{p: p, user: user}, target: t, numbers: map[string]int{}}
	for i, name := range operations() {
		j.numbers[name] = i
	}
	if err := j.enter(); err != nil {
		return nil, err
	}
	if err := j.resume(); err != nil {
		return nil, errors.Join(err, j.dir.Close())
	}
	if j.buffers, err = aio.Buffer(p.ranks() * int(p.WriteSize)); err != nil {
		return nil, errors.Join(err, j.dir.Close())
	}
	blockcheck.Random(j.buffers, seed)
	return j, nil
}

// enter opens the job's directory and makes sure that it is the right volume's.
func (j *job) enter() error {
	volume, dir, err := fileio.OpenPrepared(j.target, j.p.owner(j.target.Instance), dirOf(j.user))
	if err != nil {
		return err
	}
	j.volume, j.dir = volume, dir
	return nil
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
func (j *job) Close() error { return errors.Join(j.dir.Close(), aio.Free(j.buffers)) }

// Do implements workload.Session: the next round.
func (j *job) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if j.p.Rounds > 0 && j.rounds >= j.p.Rounds {
		return workload.ErrFinished
	}
	j.rounds++
	began := workload.Now()
	err := j.round(ctx, rec)
	rec.Observe(j.numbers[opRound], began, time.Since(began), outcome(err))
	if err == nil {
		rec.Moved(j.numbers[opRound], 2*j.p.whole())
		j.failing = 0
		return nil
	}
	j.recover()
	return err
}

func outcome(err error) workload.Outcome {
	if err != nil {
		return workload.Failed
	}
	return workload.Done
}

// recover waits after a failure, and makes the next round open everything anew: storage that
// came back may not know old descriptors, and the volume may have been mounted again.
func (j *job) recover() {
	j.failing++
	fileio.Sleep(fileio.Pause(j.failing))
	old := j.dir
	if j.enter() == nil { // else the next round fails, and is counted
		_ = old.Close() // what was written through it was flushed, or has failed
	}
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
	if err := j.forget(number); err != nil {
		return err
	}
	return j.restore(ctx, rec, number)
}

// save has every rank write its shard; when the last is on the medium the checkpoint is marked
// as complete.
func (j *job) save(ctx context.Context, rec workload.Recorder, number int64) error {
	began := workload.Now()
	ranks, err := j.each(ctx, j.buffers, func(ctx context.Context, rank int, buffer []byte) (rankTiming, error) {
		return j.write(ctx, number, rank, buffer)
	})
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
	rec.Observe(j.numbers[opSave], began, time.Since(began), outcome(err))
	j.held = append(j.held, number)
	if err != nil {
		rec.Receipt(j.receipt(number, inDoubt))
		return err
	}
	rec.Receipt(j.receipt(number, acknowledged))
	rec.Moved(j.numbers[opSave], j.p.whole())
	for _, t := range ranks {
		rec.Observe(j.numbers[opWrite], t.began, t.first, workload.Done)
		rec.Observe(j.numbers[opFlush], t.began.Add(t.first), t.then, workload.Done)
	}
	return nil
}

// drop removes the oldest checkpoint. The audit does not look for it from now on.
func (j *job) drop(rec workload.Recorder) error {
	oldest := j.held[0]
	j.held = j.held[1:]
	rec.Receipt(j.receipt(oldest, removed))
	began := workload.Now()
	err := j.remove(oldest)
	rec.Observe(j.numbers[opRemove], began, time.Since(began), outcome(err))
	return err
}

// restore has every rank read the shard of the next one.
func (j *job) restore(ctx context.Context, rec workload.Recorder, number int64) error {
	began := workload.Now()
	ranks, err := j.each(ctx, j.buffers, func(ctx context.Context, rank int, buffer []byte) (rankTiming, error) {
		return j.read(ctx, number, (rank+1)%j.p.ranks(), buffer)
	})
	rec.Observe(j.numbers[opRestore], began, time.Since(began), outcome(err))
	if err != nil {
		return err
	}
	rec.Moved(j.numbers[opRestore], j.p.whole())
	for _, t := range ranks {
		rec.Observe(j.numbers[opRead], t.began, t.first, workload.Done)
	}
	return nil
}
