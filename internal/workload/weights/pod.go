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
	p      *Parameters
	target workload.Target
	dir    *fileio.Dir // nil in memory
	files  []parallelio.File
	team   *parallelio.Team
	loads  int // so far; 0 in memory
	failed int // loads in a row
}

func openPod(t workload.Target, p *Parameters, seed uint64) (_ *pod, err error) {
	d := &pod{p: p, target: t}
	if fileio.InMemory(t) {
		d.files = p.part()
	} else if err := d.enter(); err != nil {
		return nil, err
	}
	if d.team, err = parallelio.NewTeam(p.Readers, int(p.BlockSize), seed); err != nil {
		return nil, errors.Join(err, d.leave())
	}
	return d, nil
}

// enter opens the model's directory and makes sure that it is the right volume's.
func (d *pod) enter() error {
	volume, dir, err := fileio.OpenPrepared(d.target, d.p.owner(), top)
	if err != nil {
		return err
	}
	d.dir, d.files = dir, d.p.files(volume)
	return nil
}

// Broken implements workload.Session: a pod opens everything anew after an error.
func (*pod) Broken() bool { return false }

// Close implements workload.Session.
func (d *pod) Close() error { return errors.Join(d.leave(), d.team.Close()) }

func (d *pod) leave() error {
	if d.dir == nil {
		return nil
	}
	return d.dir.Close()
}

// Do implements workload.Session: the next load.
func (d *pod) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.p.Loads > 0 && d.loads >= d.p.Loads {
		return workload.ErrFinished
	}
	if d.dir != nil {
		d.loads++
	}
	err := d.forget()
	began := workload.Now()
	var shards []parallelio.Timing
	if err == nil {
		shards, err = d.team.Read(ctx, d.dir, d.files, parallelio.Options{Direct: d.p.IO == direct, Shared: true})
	}
	if err != nil {
		rec.Observe(opLoad, began, time.Since(began), workload.Failed)
		d.recover()
		return err
	}
	rec.Observe(opLoad, began, time.Since(began), workload.Done)
	rec.Moved(opLoad, parallelio.Bytes(d.files))
	for _, s := range shards {
		rec.Observe(opShard, s.Began, s.Time, workload.Done)
	}
	d.failed = 0
	return nil
}

// forget drops the model from this machine's page cache. It is no part of a load.
func (d *pod) forget() error {
	if d.p.IO == direct || d.dir == nil {
		return nil
	}
	for _, file := range d.files {
		f, err := d.dir.Open(file.Name, fileio.OpenMode{})
		if err != nil {
			return err
		}
		if err := errors.Join(f.Forget(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// recover waits after a failure, and has the next load open everything anew: storage that came
// back may not know old descriptors, and the volume may have been mounted again.
func (d *pod) recover() {
	d.failed++
	fileio.Sleep(fileio.Pause(d.failed))
	old := d.dir
	if old != nil && d.enter() == nil { // else the next load fails, and is counted
		_ = old.Close() // nothing was written through it
	}
}
