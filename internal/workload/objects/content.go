package objects

import (
	"errors"
	"fmt"
	"io"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// blockBytes is the most that carries one stamp. Parts of objects are read in whole blocks.
const blockBytes = 64 << 10

// blocks writes and checks contents, piece by piece, in a buffer of its own.
type blocks struct {
	volume uint64
	verify bool
	buffer []byte
}

func newBlocks(volume uint64, verify bool, seed uint64) *blocks {
	b := &blocks{volume, verify, make([]byte, blockBytes)}
	blockcheck.Random(b.buffer, seed)
	return b
}

func (b *blocks) of(c content) fileio.Content {
	return fileio.Content{Volume: b.volume, File: c.file, Generation: c.generation}
}

// body is the content of an object from an offset to another, which is read once. There
// is one at a time.
type body struct {
	*blocks
	stamps fileio.Content
	at, to int64
	rest   []byte // of the block
}

// body returns a part of a content; it begins and ends with a block.
func (b *blocks) body(c content, from, to int64) *body {
	return &body{blocks: b, stamps: b.of(c), at: from, to: to}
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if b.at == b.to {
			return 0, io.EOF
		}
		b.rest = b.buffer[:min(blockBytes, b.to-b.at)]
		b.stamps.Fill(b.rest, b.at)
		b.at += int64(len(b.rest))
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// check reads a part of a content and compares it with what was written.
func (b *blocks) check(from io.Reader, c content, at, to int64) error {
	stamps := b.of(c)
	for at < to {
		block := b.buffer[:min(blockBytes, to-at)]
		if n, err := io.ReadFull(from, block); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return objectio.Wrong(objectio.Truncated, "the content ends at byte %d of %d: %w", at+int64(n), to, err)
			}
			return err
		}
		if b.verify {
			if err := stamps.Check(block, at); err != nil {
				return err
			}
		}
		at += int64(len(block))
	}
	if n, _ := from.Read(b.buffer[:1]); n > 0 {
		return objectio.Wrong(objectio.WrongSize, "the content goes on after byte %d", to)
	}
	return nil
}

// String is for errors.
func (c content) String() string {
	if c.file == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%d bytes of write %d", c.size, c.generation)
}
