package objects

import (
	"context"
	"io"
	"time"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/s3wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/objectio"
)

// read gets an object or a part of it, or asks for its size.
func (u *user) read(ctx context.Context, verb string) (bytes int64, err error) {
	o := u.drawExisting()
	from, to := int64(0), o.size
	if verb == part {
		from, to = u.stretch(o.size)
	}
	u.first = time.Time{}
	err = u.time(verb, func() error {
		if verb == head {
			return u.head(ctx, o)
		}
		return u.get(ctx, o, from, to)
	})
	if err != nil || verb == head {
		return 0, named(o.key, err)
	}
	return to - from, nil
}

// stretch draws a part of an object in whole blocks.
func (u *user) stretch(size int64) (from, to int64) {
	blocks := (size + blockBytes - 1) / blockBytes
	want := min(blocks, max(1, int64(u.p.Range)/blockBytes))
	from = u.random.Int64N(blocks-want+1) * blockBytes
	return from, min(size, from+want*blockBytes)
}

func (u *user) get(ctx context.Context, o knownObject, from, to int64) error {
	asked := to
	if from == 0 && to == o.size {
		asked = 0
	}
	body, err := u.wire.Get(ctx, o.key, from, asked)
	if err != nil {
		return err
	}
	return u.blocks.check(&stopwatch{Reader: body, first: &u.first}, o.content, from, to)
}

// stopwatch notes when the first byte comes.
type stopwatch struct {
	io.Reader
	first *time.Time
}

func (s *stopwatch) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if n > 0 && s.first.IsZero() {
		*s.first = workload.Now()
	}
	return n, err
}

func (u *user) head(ctx context.Context, o knownObject) error {
	size, err := u.wire.Head(ctx, o.key)
	if err != nil {
		return err
	}
	if size != s3wire.Unknown && size != o.size {
		return objectio.Wrong(objectio.WrongSize, "it has %d bytes, not %d", size, o.size)
	}
	return nil
}

// list lists all keys below a prefix, page by page, in the loaded keys or in its own, and
// compares them with the expected ones.
func (u *user) list(ctx context.Context) error {
	s := u.loaded
	if u.p.changes() && u.random.IntN(2) == 0 {
		s = u.own
	}
	first := u.random.Int64N(min(u.p.Prefixes, u.p.Objects))
	prefix := s.prefix(first, u.p.Prefixes)
	found := map[string]int64{}
	err := u.time(list, func() error { return u.pages(ctx, prefix, found) })
	if err != nil {
		return named(prefix, err)
	}
	for number := first; number < u.p.Objects; number += u.p.Prefixes {
		if err := u.compare(s, number, found); err != nil {
			return err
		}
	}
	for key := range found {
		return objectio.Wrong(back, "%s is listed and should not be there", key)
	}
	return nil
}

// pages collects the sizes of all keys below a prefix.
func (u *user) pages(ctx context.Context, prefix string, found map[string]int64) error {
	for o, err := range bucket.List(ctx, u.Core.Client, u.Bucket, bucket.Query{Prefix: prefix, Page: u.p.Page, Measured: true}) {
		if err != nil {
			return err
		}
		if _, twice := found[o.Key]; twice {
			return objectio.Wrong(objectio.WrongSize, "%s is listed twice", o.Key)
		}
		found[o.Key] = o.Size
	}
	return nil
}

// compare takes one number off what was found.
func (u *user) compare(s space, number int64, found map[string]int64) error {
	key := s.key(number, u.p.Prefixes)
	size, there := found[key]
	delete(found, key)
	want := loaded(u.p, u.volume, s, number)
	if s == u.own {
		o := u.ledger.objects[number]
		if !o.certain() {
			return nil
		}
		want = o.is
	}
	switch {
	case there && want.file == 0:
		return objectio.Wrong(back, "%s is listed, although its deletion was acknowledged or it was never written", key)
	case !there && want.file != 0:
		return objectio.Wrong(objectio.Missing, "%s is not listed, although it was acknowledged", key)
	case there && size != want.size:
		return objectio.Wrong(objectio.WrongSize, "%s is listed with %d bytes, not %d", key, size, want.size)
	}
	return nil
}
