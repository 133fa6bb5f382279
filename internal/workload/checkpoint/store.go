package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// top is the directory of all jobs; below it each has one by its number.
const top = "jobs"

// store is a job's checkpoints on a volume. Each has a number, a file for every shard, and last
// the mark that it is complete, which gets its name when everything else is on the medium.
type store struct {
	fileio.Home
	p    *Parameters
	user int
	team *parallelio.Team // a thread for each rank
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

// mostRanks is the bound of the parameter ranks.
const mostRanks = 1024

// files are the shards of a checkpoint, by their ranks.
func (s store) files(number int64) []parallelio.File {
	all := make([]parallelio.File, s.p.ranks())
	for rank := range all {
		all[rank] = parallelio.File{Name: shardName(number, rank), Bytes: s.p.shard(), Content: fileio.Content{
			Volume: s.Volume, File: uint64(s.user)*mostRanks + uint64(rank) + 1,
			Generation: uint32(number%(blockcheck.Generations-1)) + 1,
		}}
	}
	return all
}

// write has every rank write its shard and flush it to the medium.
func (s store) write(ctx context.Context, number int64) ([]parallelio.Timing, error) {
	return s.team.Write(ctx, s.Dir, s.files(number), s.p.how())
}

// read has every rank read and check the shard of the next one.
func (s store) read(ctx context.Context, number int64) ([]parallelio.Timing, error) {
	all := s.files(number)
	return s.team.Read(ctx, s.Dir, append(all[1:], all[0]), s.p.how())
}

// prepareMark has the names of all shards on the medium, and a mark that has not its name yet.
func (s store) prepareMark(number int64) error {
	if err := s.Dir.Flush(); err != nil {
		return err
	}
	f, err := s.Dir.Open(nameOf(number, mark), fileio.OpenMode{Create: true})
	if err != nil {
		return err
	}
	return errors.Join(f.Write([]byte(s.markText(number)), 0), f.Flush(), f.Close())
}

// commit makes a checkpoint complete. After an error nobody knows whether it is.
func (s store) commit(number int64) error {
	if err := s.Dir.Rename(nameOf(number, mark), s.Dir, nameOf(number, complete)); err != nil {
		return err
	}
	return s.Dir.Flush()
}

// markText is what the mark holds.
func (s store) markText(number int64) string {
	return fmt.Sprintf("checkpoint %d of job %d on volume %016x: %d shards of %d bytes\n", number, s.user, s.Volume, s.p.ranks(), s.p.shard())
}

// checkMark reads the mark of a complete checkpoint.
func (s store) checkMark(number int64) error {
	f, err := s.Dir.Open(nameOf(number, complete), fileio.OpenMode{})
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
	if err := s.Dir.Flush(); err != nil {
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
	err := s.Dir.Remove(name)
	if errors.Is(err, syscall.ENOENT) {
		return nil
	}
	return err
}

// found lists the complete checkpoints, in order, and the numbers of incomplete ones.
func (s store) found() (whole, parts []int64, err error) {
	names, err := s.Dir.Names()
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
