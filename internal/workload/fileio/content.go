package fileio

import "plimsoll/internal/host/blockcheck"

// Pieces visits a range of a file in pieces of the buffer's size. The last piece may be
// shorter.
func Pieces(buffer []byte, from, to int64, visit func(piece []byte, offset int64) error) error {
	for at := from; at < to; at += int64(len(buffer)) {
		if err := visit(buffer[:min(int64(len(buffer)), to-at)], at); err != nil {
			return err
		}
	}
	return nil
}

// Share is how many bytes each of some files has of all: alike many, in whole blocks and at least
// one.
func Share(all int64, files int, block int64) int64 {
	round := int64(files) * block
	return max(1, (all+round-1)/round) * block
}

// Content is the content of a file after a number of writes: blocks that identify their
// place and cannot be compressed.
type Content struct {
	Volume     uint64 // Identity
	File       uint64 // number within the volume, from 1
	Generation uint32 // how often the file has been written; see blockcheck.Next
}

// Fill makes a buffer of random bytes (blockcheck.Random, once for each buffer) the
// block at an offset. A block that was filled or read is random enough to be
// filled again.
func (c Content) Fill(block []byte, offset int64) { c.at(offset).Write(block) }

// Check compares every byte of a block that was read with what was written at
// the offset, in a buffer of the same length. The error is a *blockcheck.Error.
func (c Content) Check(block []byte, offset int64) error { return c.at(offset).Check(block) }

func (c Content) at(offset int64) blockcheck.Stamp {
	return blockcheck.Stamp{Volume: c.Volume, File: c.File, Offset: offset, Generation: c.Generation}
}
