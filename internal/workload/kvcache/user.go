package kvcache

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// user is a session: someone with several conversations.
type user struct {
	store
	random *rand.Rand
	open   []*conversation // that go on
	kept   []*conversation // whose blocks are stored, the one that was used least lately first
	last   int64           // the newest number
}

func openUser(t workload.Target, p *Parameters, number int, seed uint64) (u *user, err error) {
	// A user who was not expected has no directory yet.
	home := fileio.Home{Target: t, Owner: p.owner(t.Instance), Path: fileio.DirOf(top, number), Create: true}
	u = &user{store: store{Home: home, p: p, user: number}, random: rand.New(rand.NewPCG(seed, 1)), last: -1}
	if err := u.Enter(); err != nil {
		return nil, err
	}
	if err := u.resume(); err != nil {
		return nil, errors.Join(err, u.Leave())
	}
	if u.team, err = parallelio.NewTeam(p.Readers, int(p.IOSize), seed); err != nil {
		return nil, errors.Join(err, u.Leave())
	}
	return u, nil
}

// resume goes on with the conversations that are there, and begins as many as are missing.
func (u *user) resume() error {
	found, err := u.found()
	if err != nil {
		return err
	}
	u.kept = found
	for _, c := range slices.Backward(found) {
		u.last = max(u.last, c.number)
		if c.turns < u.p.Turns && len(u.open) < u.p.Conversations {
			u.open = append(u.open, c)
		}
	}
	for len(u.open) < u.p.Conversations {
		u.open = append(u.open, u.begin())
	}
	return nil
}

// begin starts a conversation.
func (u *user) begin() *conversation {
	u.last++
	return &conversation{number: u.last}
}

// Broken implements workload.Session. A volume that is gone does not break the session, which
// enters it again by itself.
func (*user) Broken() bool { return false }

// Close implements workload.Session.
func (u *user) Close() error { return errors.Join(u.Leave(), u.team.Close()) }

// Do implements workload.Session: a turn of any of the conversations.
func (u *user) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n := u.random.IntN(len(u.open))
	if err := workload.Timed(rec, opTurn, func() error { return u.turn(ctx, rec, u.open[n]) }); err != nil {
		u.recover(u.open[n])
		return err
	}
	u.Recovered()
	if u.open[n].turns == u.p.Turns {
		u.open[n] = u.begin()
	}
	return nil
}

// timed does one operation that moves so many bytes.
func timed(rec workload.Recorder, operation int, bytes int64, do func() error) error {
	err := workload.Timed(rec, operation, do)
	if err == nil {
		rec.Moved(operation, bytes)
	}
	return err
}

// turn restores the stored blocks of a conversation, makes room, and stores the others: the
// blocks of this turn, and all earlier ones if they had been evicted.
func (u *user) turn(ctx context.Context, rec workload.Recorder, c *conversation) error {
	if c.stored > 0 {
		if err := timed(rec, opRestore, int64(c.stored)*u.p.block(), func() error { return u.read(ctx, c) }); err != nil {
			return err
		}
	}
	u.kept = append(slices.DeleteFunc(u.kept, func(k *conversation) bool { return k == c }), c)
	for len(u.kept) > u.p.Kept {
		if err := u.evict(rec); err != nil {
			return err
		}
	}
	blocks := (c.turns + 1) * u.p.Blocks
	err := timed(rec, opStore, int64(blocks-c.stored)*u.p.block(), func() error { return u.write(ctx, c, blocks) })
	if err == nil {
		c.turns++
	}
	return err
}

// evict removes the blocks of the conversation that was used least lately.
func (u *user) evict(rec workload.Recorder) error {
	oldest := u.kept[0]
	u.kept = u.kept[1:]
	return timed(rec, opEvict, 0, func() error { return u.remove(oldest, oldest.stored) })
}

// recover waits after a turn that failed, and treats its conversation as evicted.
func (u *user) recover(c *conversation) {
	u.Recover()
	_ = u.remove(c, (c.turns+1)*u.p.Blocks) // as far as that is possible: the turn has failed already
	u.kept = slices.DeleteFunc(u.kept, func(k *conversation) bool { return k == c })
}
