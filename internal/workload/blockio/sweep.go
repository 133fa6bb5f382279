package blockio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/workload/fileio"
)

const (
	sweepDepth = 8 // chunks under way
	waitLimit  = 100 * time.Millisecond
)

// chunkOf is how much a sweep moves at once: about a megabyte of whole blocks.
func chunkOf(unit int64) int64 { return max(unit, 1<<20/unit*unit) }

// sweep reads or writes the first bytes of a file in order, in chunks, several
// at a time. Each goes to visit with its offset: before it is written, or after it was
// read, with the error of reading it. The visit's error ends the sweep.
type sweep struct {
	file     int
	name     string
	kind     aio.Kind
	chunk    int64 // bytes
	to       int64
	visit    func(chunk []byte, offset int64, err error) error
	progress func(share float64)

	queue  aio.Queue
	memory []byte
	begun  []int64 // offset of the request with that tag
	at     int64
}

func (s *sweep) run(ctx context.Context) (err error) {
	if s.memory, err = aio.Buffer(int(sweepDepth * s.chunk)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, aio.Free(s.memory)) }()
	if s.queue, err = aio.New(sweepDepth, ""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.queue.Close()) }() // first: it waits for what uses the memory
	s.queue.Keep(s.memory)
	s.begun, s.at = make([]int64, sweepDepth), 0
	flying := 0
	for tag := range sweepDepth {
		more, err := s.issue(tag)
		if err != nil || !more {
			return errors.Join(err, s.serve(ctx, flying))
		}
		flying++
	}
	return s.serve(ctx, flying)
}

func (s *sweep) bytes(tag int) []byte {
	length := min(s.chunk, s.to-s.begun[tag])
	return s.memory[int64(tag)*s.chunk:][:length]
}

// issue begins the next chunk, if there is one.
func (s *sweep) issue(tag int) (more bool, err error) {
	if s.at >= s.to {
		return false, nil
	}
	s.begun[tag] = s.at
	chunk := s.bytes(tag)
	s.at += int64(len(chunk))
	if s.kind != aio.Read {
		if err := s.visit(chunk, s.begun[tag], nil); err != nil {
			return false, err
		}
	}
	return true, s.queue.Submit(aio.Request{Kind: s.kind, File: s.file, Buffer: chunk, Offset: s.begun[tag], Tag: tag})
}

func (s *sweep) serve(ctx context.Context, flying int) error {
	var done []aio.Completion
	for flying > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if done, err = s.queue.Wait(done[:0], waitLimit); err != nil {
			return err
		}
		for _, c := range done {
			if err := s.complete(c); err != nil {
				return err
			}
			more, err := s.issue(c.Tag)
			if err != nil {
				return err
			}
			if !more {
				flying--
			}
		}
		s.progress(float64(s.at) / float64(s.to))
	}
	return nil
}

func (s *sweep) complete(c aio.Completion) error {
	chunk, offset := s.bytes(c.Tag), s.begun[c.Tag]
	err := c.Err
	if err == nil && c.N != len(chunk) {
		err = &fileio.ShortError{Offset: offset, Got: int64(c.N), Want: int64(len(chunk))}
	}
	if s.kind == aio.Read {
		return s.visit(chunk, offset, err)
	}
	if err != nil {
		return fmt.Errorf("write %s at offset %d: %w", s.name, offset, err)
	}
	return nil
}
