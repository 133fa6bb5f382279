package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// top is the directory of all jobs; below it each has one by its number.
const top = "jobs"

func dirOf(user int) string { return top + "/" + strconv.Itoa(user) }

// store is a job's checkpoints on a volume. Each has a number, a file for every shard, and last
// the mark that it is complete, which gets its name when everything else is on the medium.
type store struct {
	p      *Parameters
	volume uint64 // identity
	user   int
	dir    *fileio.Dir
}

// Names of files. Files of a checkpoint begin with its number.
const (
	complete = "complete"
	mark     = "mark" // before it has its name
)

func nameOf(number int64, part string) string { return fmt.Sprintf("%08d.%s", number, part) }

func shardName(number int64, rank int) string { return nameOf(number, fmt.Sprintf("shard-%04d", rank)) }

// readName takes a name apart; ours is false of one that no job gives.
func readName(name string) (number int64, part string, ours bool) {
	digits, part, _ := strings.Cut(name, ".")
	number, err := strconv.ParseInt(digits, 10, 64)
	return number, part, err == nil && number >= 0 && nameOf(number, part) == name
}

// content is what the shard of a rank holds.
func (s store) content(number int64, rank int) fileio.Content {
	return fileio.Content{
		Volume: s.volume, File: uint64(s.user)*mostRanks + uint64(rank) + 1,
		Generation: uint32(number%(blockcheck.Generations-1)) + 1,
	}
}

// rankTiming is when a rank began and how long its two parts took.
type rankTiming struct {
	began       time.Time
	first, then time.Duration
}

// each has every rank do something and waits for the last. Where one fails the others end soon.
func (s store) each(ctx context.Context, buffers []byte, do func(ctx context.Context, rank int, buffer []byte) (rankTiming, error)) ([]rankTiming, error) {
	g, ctx := errgroup.WithContext(ctx)
	all, size := make([]rankTiming, s.p.ranks()), int(s.p.WriteSize)
	for rank := range all {
		g.Go(func() (err error) {
			all[rank], err = do(ctx, rank, buffers[rank*size:(rank+1)*size])
			return err
		})
	}
	return all, g.Wait()
}

// parts visits a shard in pieces of a write each.
func (s store) parts(ctx context.Context, buffer []byte, do func(piece []byte, offset int64) error) error {
	return fileio.Pieces(buffer, 0, s.p.shard(), func(piece []byte, offset int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return do(piece, offset)
	})
}

// write makes the shard of a rank and has it on the medium.
func (s store) write(ctx context.Context, number int64, rank int, buffer []byte) (t rankTiming, err error) {
	t.began = workload.Now()
	f, err := s.dir.Open(shardName(number, rank), fileio.OpenMode{Create: true, Direct: s.p.IO == direct})
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c := s.content(number, rank)
	err = s.parts(ctx, buffer, func(piece []byte, offset int64) error {
		c.Fill(piece, offset)
		return f.Write(piece, offset)
	})
	if err != nil {
		return t, err
	}
	t.first = time.Since(t.began)
	err = f.Flush()
	t.then = time.Since(t.began) - t.first
	return t, err
}

// read reads and checks the shard of a rank.
func (s store) read(ctx context.Context, number int64, rank int, buffer []byte) (t rankTiming, err error) {
	t.began = workload.Now()
	f, err := s.dir.Open(shardName(number, rank), fileio.OpenMode{Direct: s.p.IO == direct})
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c := s.content(number, rank)
	err = s.parts(ctx, buffer, func(piece []byte, offset int64) error {
		if err := f.Read(piece, offset); err != nil {
			return err
		}
		return c.Check(piece, offset)
	})
	t.first = time.Since(t.began)
	return t, err
}

// forget drops a checkpoint from this machine's page cache.
func (s store) forget(number int64) error {
	if s.p.IO == direct {
		return nil
	}
	for rank := range s.p.ranks() {
		f, err := s.dir.Open(shardName(number, rank), fileio.OpenMode{})
		if err != nil {
			return err
		}
		if err := errors.Join(f.Forget(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// prepareMark has the names of all shards on the medium, and a mark that has not its name yet.
func (s store) prepareMark(number int64) error {
	if err := s.dir.Flush(); err != nil {
		return err
	}
	f, err := s.dir.Open(nameOf(number, mark), fileio.OpenMode{Create: true})
	if err != nil {
		return err
	}
	return errors.Join(f.Write([]byte(s.markText(number)), 0), f.Flush(), f.Close())
}

// commit makes a checkpoint complete. After an error nobody knows whether it is.
func (s store) commit(number int64) error {
	if err := s.dir.Rename(nameOf(number, mark), s.dir, nameOf(number, complete)); err != nil {
		return err
	}
	return s.dir.Flush()
}

// markText is what the mark holds.
func (s store) markText(number int64) string {
	return fmt.Sprintf("checkpoint %d of job %d on volume %016x: %d shards of %d bytes\n", number, s.user, s.volume, s.p.ranks(), s.p.shard())
}

// checkMark reads the mark of a complete checkpoint.
func (s store) checkMark(number int64) error {
	f, err := s.dir.Open(nameOf(number, complete), fileio.OpenMode{})
	if err != nil {
		return err
	}
	want := s.markText(number)
	found := make([]byte, len(want))
	err = errors.Join(f.Read(found, 0), f.Close())
	if err == nil && string(found) != want {
		err = fileio.Wrong(blockcheck.Foreign, "%s holds %q, not %q", nameOf(number, complete), found, want)
	}
	return err
}

// remove takes a checkpoint away: first the mark, so that none is complete without its shards.
func (s store) remove(number int64) error {
	if err := s.gone(nameOf(number, complete)); err != nil {
		return err
	}
	if err := s.dir.Flush(); err != nil {
		return err
	}
	return s.discard(number)
}

// discard removes the files of an incomplete checkpoint.
func (s store) discard(number int64) error {
	err := s.gone(nameOf(number, mark))
	for rank := range s.p.ranks() {
		err = errors.Join(err, s.gone(shardName(number, rank)))
	}
	return err
}

// gone removes a file, if it is there.
func (s store) gone(name string) error {
	err := s.dir.Remove(name)
	if errors.Is(err, syscall.ENOENT) {
		return nil
	}
	return err
}

// found lists the complete checkpoints, in order, and the numbers of incomplete ones.
func (s store) found() (whole, parts []int64, err error) {
	names, err := s.dir.Names()
	for _, name := range names {
		switch number, part, ours := readName(name); {
		case ours && part == complete:
			whole = append(whole, number)
		case ours:
			parts = append(parts, number)
		}
	}
	slices.Sort(whole)
	slices.Sort(parts)
	parts = slices.DeleteFunc(slices.Compact(parts), func(n int64) bool { return slices.Contains(whole, n) })
	return whole, parts, err
}
