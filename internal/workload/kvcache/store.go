package kvcache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// top is the directory of all users; below it each has one by its number.
const top = "cache"

// store is a user's conversations on a volume: a file for each block.
type store struct {
	fileio.Home
	p    *Parameters
	user int
	team *parallelio.Team
}

// conversation is one of a user's. Its blocks have a new generation each time that it is stored
// anew, so that no earlier one is taken for its own.
type conversation struct {
	number     int64
	generation uint32
	turns      int // so far
	stored     int // blocks: of all turns, or 0
}

// Blocks know theirs by the number of a file: the user's, the conversation's and the block's.
const (
	blockBits        = 16
	conversationBits = 28
)

// nameOf is the file of a block.
func (c *conversation) nameOf(block int) string {
	return fmt.Sprintf("%d-%d-%d", c.number, c.generation, block)
}

// readName takes a name apart; ours is false of one that no user gives.
func readName(name string) (c conversation, block int, ours bool) {
	n, err := fmt.Sscanf(name, "%d-%d-%d", &c.number, &c.generation, &block)
	ours = n == 3 && err == nil && c.number >= 0 && block >= 0 && block < longest && c.nameOf(block) == name
	return c, block, ours
}

// files are some of a conversation's blocks.
func (s *store) files(c *conversation, from, to int) (all []parallelio.File) {
	for block := from; block < to; block++ {
		file := uint64(s.user)<<conversationBits | uint64(c.number)%(1<<conversationBits)
		all = append(all, parallelio.File{
			Name: c.nameOf(block), Bytes: s.p.block(),
			Content: fileio.Content{Volume: s.Volume, File: file<<blockBits + uint64(block) + 1, Generation: c.generation},
		})
	}
	return all
}

// read reads all blocks of a conversation back.
func (s *store) read(ctx context.Context, c *conversation) error {
	_, err := s.team.Read(ctx, s.Dir, s.files(c, 0, c.stored), parallelio.Options{Direct: s.p.IO == direct})
	return err
}

// write stores the blocks of a conversation up to a number. If none is stored, all of them
// get a new generation.
func (s *store) write(ctx context.Context, c *conversation, blocks int) error {
	if c.stored == 0 {
		c.generation = blockcheck.Next(c.generation)
	}
	_, err := s.team.Write(ctx, s.Dir, s.files(c, c.stored, blocks), parallelio.Options{Direct: s.p.IO == direct})
	if err == nil {
		c.stored = blocks
	}
	return err
}

// remove takes away the first blocks of a conversation, as far as they are there. It has none then.
func (s *store) remove(c *conversation, blocks int) (err error) {
	if s.Dir == nil {
		blocks = 0
	}
	for block := range blocks {
		if gone := s.Dir.Remove(c.nameOf(block)); !errors.Is(gone, syscall.ENOENT) {
			err = errors.Join(err, gone)
		}
	}
	c.stored = 0
	return err
}

// first stores the conversations that a user begins with.
func (s *store) first(ctx context.Context) error {
	for n := range s.p.Kept {
		c := conversation{number: int64(n)}
		if err := s.write(ctx, &c, s.p.first(n)*s.p.Blocks); err != nil {
			return err
		}
	}
	return nil
}

// found lists the conversations that are there whole, the oldest first, and removes the parts
// of others.
func (s *store) found() (all []*conversation, err error) {
	if s.Dir == nil {
		return s.p.beginning(), nil
	}
	names, err := s.Dir.Names()
	if err != nil {
		return nil, err
	}
	type key struct {
		number     int64
		generation uint32
	}
	blocks := map[key][]int{}
	for _, name := range names {
		if c, block, ours := readName(name); ours {
			k := key{c.number, c.generation}
			blocks[k] = append(blocks[k], block)
		}
	}
	for k, have := range blocks {
		c, n := &conversation{number: k.number, generation: k.generation}, len(have)
		if most := slices.Max(have) + 1; most != n || n%s.p.Blocks != 0 || n > s.p.Turns*s.p.Blocks {
			err = errors.Join(err, s.remove(c, most))
			continue
		}
		c.stored, c.turns = n, n/s.p.Blocks
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *conversation) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.generation, b.generation))
	})
	return all, err
}
