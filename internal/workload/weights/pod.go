package weights

import (
	"context"
	"errors"
	"time"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// pod is a session: it loads the model, as often as it is to.
type pod struct {
	fileio.Home
	p     *Parameters
	team  *parallelio.Team
	loads int // so far; 0 in memory
}

func openPod(t workload.Target, p *Parameters, seed uint64) (_ *pod, err error) {
	d := &pod{p: p, Home: fileio.Home{Target: t, Owner: p.owner(), Path: top}}
	if err := d.Enter(); err != nil {
		return nil, err
	}
	if d.team, err = parallelio.NewTeam(p.Readers, int(p.BlockSize), seed); err != nil {
		return nil, errors.Join(err, d.Leave())
	}
	return d, nil
}

// files are what the pod loads.
func (d *pod) files() []parallelio.File {
	if d.Dir == nil {
		return d.p.part()
	}
	return d.p.files(d.Volume)
}

// Broken implements workload.Session: a pod opens everything anew after an error.
func (*pod) Broken() bool { return false }

// Close implements workload.Session.
func (d *pod) Close() error { return errors.Join(d.Leave(), d.team.Close()) }

// Do implements workload.Session: the next load.
func (d *pod) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.p.Loads > 0 && d.loads >= d.p.Loads {
		return workload.ErrFinished
	}
	if d.Dir != nil {
		d.loads++
	}
	files := d.files()
	err := parallelio.Forget(d.Dir, files, d.p.how()) // it is no part of a load
	began := workload.Now()
	var shards []parallelio.Timing
	if err == nil {
		shards, err = d.team.Read(ctx, d.Dir, files, d.p.how())
	}
	rec.Observe(opLoad, began, time.Since(began), workload.OutcomeOf(err))
	if err != nil {
		d.Recover()
		return err
	}
	rec.Moved(opLoad, parallelio.Bytes(files))
	for _, s := range shards {
		rec.Observe(opShard, s.Began, s.Time, workload.Done)
	}
	d.Recovered()
	return nil
}
