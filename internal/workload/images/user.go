package images

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"plimsoll/internal/app/builtin/imaged"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// user is a session: it moves each item of its part of the list once.
type user struct {
	p     *Parameters
	shape shape
	at    imaged.Place   // whom it asks
	seed  uint64         // of the items
	sums  map[int]string // that are published of the items; none where nobody compares them
	own   uint64
	next  int
	step  int
	moved int
}

var _ workload.Session = (*user)(nil)

// open checks that the data set is complete: that the mark, which is written last, is
// there.
func open(ctx context.Context, t workload.Target, p *Parameters, number int, seed uint64) (*user, error) {
	u := &user{p: p, shape: p.shape(), own: seed, step: max(1, t.Users)}
	u.next = number % u.step
	keeper, err := place(t, p.keeper())
	if err != nil {
		return nil, err
	}
	u.at = keeper
	if receiver := p.receiver(); receiver != "" && receiver != p.keeper() {
		if u.at, err = place(t, receiver); err != nil {
			return nil, err
		}
	}
	if u.seed, err = prepared(ctx, keeper, p); err != nil {
		return nil, err
	}
	u.sums, err = published(ctx, keeper, p)
	return u, err
}

// prepared returns the seed of a store's items.
func prepared(ctx context.Context, at imaged.Place, p *Parameters) (seed uint64, err error) {
	all, err := at.List(ctx)
	if err != nil {
		return 0, err
	}
	want := strings.TrimSuffix(p.mark(0), "0")
	for _, name := range all {
		if rest, ok := strings.CutPrefix(name, want); ok {
			_, err := fmt.Sscan(rest, &seed)
			return seed, err
		}
	}
	return 0, errors.New("the store was prepared with other parameters, or not to the end")
}

// Do moves the next item. One that failed is not tried again.
func (u *user) Do(ctx context.Context, rec workload.Recorder) error {
	if u.next >= u.p.Items {
		return workload.ErrFinished
	}
	r := receipt{Item: u.next}
	r.Name = fmt.Sprintf("copy-%05d-%x-%d", u.next, u.own, u.moved)
	u.next, u.moved = u.next+u.step, u.moved+1
	begun := workload.Now()
	account, err := u.move(ctx, &r)
	took, outcome := workload.Now().Sub(begun), workload.Done
	if err != nil {
		outcome, r.Open = workload.Failed, true
	} else {
		rec.Moved(0, int64(u.p.Size))
		rec.Spent(0, describe.Effort{Count: 1, Stages: account.Stages})
	}
	rec.Receipt(r.bytes())
	rec.Observe(0, begun, took, outcome)
	return err
}

// move moves one item.
func (u *user) move(ctx context.Context, r *receipt) (imaged.Account, error) {
	s, name := u.shape, named(r.Item)
	switch {
	case u.p.Operation == importing:
		return u.give(ctx, r)
	case u.p.Operation == downloading:
		return u.at.Pull(ctx, name, u.sums[r.Item], r.Name, s.destination, s.way)
	case u.p.Operation == exporting:
		sum := crc{}
		a, err := u.at.Export(ctx, name, s.source, s.way, append(transfer.Converting(s.way.Format, exported(s)), sum.discard()))
		r.CRC, r.Bytes = sum.sum, sum.bytes
		return a, err
	case u.p.Operation == deploying && u.p.Way == direct:
		return u.at.Clone(ctx, name, r.Name)
	case u.p.Operation == deploying:
		return u.at.Expand(ctx, name, s.source, r.Name, s.destination, s.way)
	}
	return u.at.Fetch(ctx, name, s.source, r.Name, s.destination, s.way)
}

// give makes an item up and gives it to the destination.
func (u *user) give(ctx context.Context, r *receipt) (imaged.Account, error) {
	it := u.p.item(u.seed, r.Item)
	stages := append([]transfer.Stage{transfer.Making(it.Size, it.Each)}, transfer.Converting(transfer.Packed, u.shape.way.Format)...)
	return u.at.Import(ctx, stages, r.Name, u.shape.destination, u.shape.way)
}

// exported is the format in which a user has what he takes: a list of extents in place of a
// raw file.
func exported(s shape) string { return transfer.OnTheWay(s.destination) }

// crc adds up what comes. CRC-32C has an instruction in the processors that servers have, so
// that it is not what limits.
type crc struct {
	sum   uint32
	bytes int64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c *crc) Write(b []byte) (int, error) {
	c.sum = crc32.Update(c.sum, castagnoli, b)
	c.bytes += int64(len(b))
	return len(b), nil
}

// discard is the stage that ends an export.
func (c *crc) discard() transfer.Stage {
	return transfer.Stage{Name: "discard", Run: func(in *transfer.Input, _ *transfer.Output) error {
		_, err := in.WriteTo(c)
		return err
	}}
}

// pass is the stage that adds up and hands on.
func (c *crc) pass() transfer.Stage {
	return transfer.Stage{Name: "sum", Run: func(in *transfer.Input, out *transfer.Output) error {
		_, err := in.WriteTo(io.MultiWriter(c, out))
		return err
	}}
}

// Broken implements workload.Session: every request takes a connection of its own.
func (*user) Broken() bool { return false }

// Close implements workload.Session.
func (*user) Close() error { return nil }
