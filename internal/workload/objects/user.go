package objects

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"plimsoll/internal/client/s3wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// user is a session. Nobody else writes below its prefix, so it knows how each key must be.
type user struct {
	store
	wire    *s3wire.Conn // for the most frequent requests
	p       *Parameters
	loaded  space // whose objects it reads in addition to its own
	own     space
	volume  uint64
	ledger  *ledger
	blocks  *blocks
	random  *rand.Rand
	numbers map[string]int // of operations
	failing int            // units that failed since one succeeded
	rec     workload.Recorder
	receipt []byte
	// first is when the first byte of a GET arrived; zero if none has.
	first time.Time
}

func openUser(ctx context.Context, t workload.Target, p *Parameters, number int, seed uint64) (*user, error) {
	s, err := reach(t, number)
	if err != nil {
		return nil, err
	}
	u := &user{
		store: s, p: p, random: rand.New(rand.NewPCG(seed, uint64(number))), numbers: p.numbers(), ledger: newLedger(p.Objects),
		loaded: space{user: int64(number) % usersOf(t)},
		own:    space{user: int64(number), epoch: firstEpoch + rand.Uint64N(lastEpoch-firstEpoch+1)},
	}
	if u.wire, err = s.Connect(number); err != nil {
		return nil, err
	}
	if u.volume, err = s.Identify(ctx, u.wire, ownerOf(t, p)); err != nil {
		return nil, errors.Join(err, u.wire.Close())
	}
	u.blocks = newBlocks(u.volume, p.Verify, seed)
	return u, nil
}

// Broken implements workload.Session. A user never breaks: a new session would not know the
// state of its objects, and every request reconnects if necessary.
func (*user) Broken() bool { return false }

// Close implements workload.Session.
func (u *user) Close() error { return u.wire.Close() }

// Do implements workload.Session.
func (u *user) Do(ctx context.Context, rec workload.Recorder) error {
	if err := u.pause(ctx); err != nil {
		return err
	}
	u.rec = rec
	begun := workload.Now()
	bytes, err := u.perform(ctx, u.p.Mix.Draw(u.random))
	took := time.Since(begun)
	if err != nil {
		u.failing++
		rec.Observe(0, begun, took, workload.Failed)
		return err
	}
	u.failing = 0
	rec.Observe(0, begun, took, workload.Done)
	if bytes > 0 {
		rec.Moved(0, bytes)
	}
	return nil
}

// pause waits after failures, so that a store that is gone does not keep a processor busy.
func (u *user) pause(ctx context.Context) error {
	if u.failing == 0 {
		return nil
	}
	select {
	case <-time.After(fileio.Pause(u.failing)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// perform does one unit of work. Bytes is the content that was moved between the user and
// the store.
func (u *user) perform(ctx context.Context, verb string) (bytes int64, err error) {
	switch verb {
	case get, part, head:
		return u.read(ctx, verb)
	case list:
		return 0, u.list(ctx)
	case remove, tag:
		if number, ok := u.ledger.drawPresent(u.random); ok {
			return 0, u.change(ctx, verb, number)
		}
		verb = u.p.writes()
	}
	number := u.random.Int64N(u.p.Objects)
	if err := u.change(ctx, verb, number); err != nil || verb == duplicate {
		return 0, err
	}
	return u.ledger.objects[number].is.size, nil
}

// time reports how long an operation took.
func (u *user) time(verb string, do func() error) error {
	begun := workload.Now()
	err := objectio.Classify(do())
	took := time.Since(begun)
	operation, reported := u.numbers[verb]
	if !reported {
		return err
	}
	u.rec.Observe(operation, begun, took, workload.OutcomeOf(err))
	if verb != get && verb != part || u.first.IsZero() {
		return err
	}
	u.rec.Observe(u.numbers[firstByte], begun, u.first.Sub(begun), workload.OutcomeOf(err))
	return err
}

// knownObject is an object that the user knows to exist.
type knownObject struct {
	key string
	content
}

// drawExisting returns one of those that were loaded or that the user has written.
func (u *user) drawExisting() knownObject {
	at := u.random.Int64N(u.p.Objects + u.ledger.present)
	if at < u.p.Objects {
		return knownObject{u.loaded.key(at, u.p.Prefixes), loaded(u.p, u.volume, u.loaded, at)}
	}
	number := u.ledger.order[at-u.p.Objects]
	return knownObject{u.own.key(number, u.p.Prefixes), u.ledger.objects[number].is}
}

// named has an error say which object it is about.
func named(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", key, err)
}
