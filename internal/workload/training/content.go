package training

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
)

// contentOf is what a sample consists of: blocks that say which sample they are of, and where
// in it.
func contentOf(volume uint64, sample int64) fileio.Content {
	return fileio.Content{Volume: volume, File: uint64(sample) + 1, Generation: 1}
}

// A file is one sample after the other. As a shard (tar) it has a header before each, and ends
// with two headers of zeros, in whole blocks.
const (
	headerBytes = 512
	shardEnd    = 2 * headerBytes
)

// bytesOf is the size of a file.
func (d data) bytesOf(file int64) (bytes int64) {
	first, end := d.within(file)
	for sample := first; sample < end; sample++ {
		bytes += d.sizeOf(sample)
	}
	if !d.tar {
		return bytes
	}
	return (bytes + (end-first)*headerBytes + shardEnd + block - 1) / block * block
}

// write writes a file from an offset to another. Samples are made in the buffer, by which they
// are divided into pieces.
func (d data) write(to io.Writer, volume uint64, file, from, until int64, buffer []byte) error {
	w := part{to: to, from: from, until: until}
	first, end := d.within(file)
	for sample := first; sample < end && w.at < until; sample++ {
		if err := d.header(&w, sample); err != nil {
			return err
		}
		content := contentOf(volume, sample)
		err := fileio.Pieces(buffer, 0, d.sizeOf(sample), func(piece []byte, offset int64) error {
			if w.wants(int64(len(piece))) {
				content.Fill(piece, offset)
			}
			return w.put(piece)
		})
		if err != nil {
			return err
		}
	}
	if d.tar {
		return w.put(make([]byte, max(0, d.bytesOf(file)-w.at)))
	}
	return nil
}

func (d data) header(w *part, sample int64) error {
	if !d.tar {
		return nil
	}
	var text bytes.Buffer
	h := tar.Header{Name: entryOf(sample), Size: d.sizeOf(sample), Mode: 0o600, Format: tar.FormatGNU}
	if err := tar.NewWriter(&text).WriteHeader(&h); err != nil {
		return err
	}
	return w.put(text.Bytes())
}

// entryOf is the name of a sample in a shard.
func entryOf(sample int64) string { return fmt.Sprintf("%010d.sample", sample) }

// part writes what of a file lies between two offsets.
type part struct {
	to              io.Writer
	at, from, until int64
}

// wants reports whether something of the next bytes is to be written.
func (p *part) wants(bytes int64) bool { return p.at+bytes > p.from && p.at < p.until }

func (p *part) put(next []byte) (err error) {
	bytes := int64(len(next))
	if p.wants(bytes) {
		_, err = p.to.Write(next[max(0, p.from-p.at):min(bytes, p.until-p.at)])
	}
	p.at += bytes
	return err
}

// shard reads the samples of a tar file, which is read in blocks whatever parts of it are asked
// for.
type shard struct {
	from   io.Reader
	buffer []byte
	rest   []byte // of the buffer
	left   int64  // of the file, after the buffer
	tar    *tar.Reader
}

func newShard(from io.Reader, bytes int64, buffer []byte) *shard {
	s := &shard{from: from, buffer: buffer, left: bytes}
	s.tar = tar.NewReader(s)
	return s
}

// Read implements io.Reader.
func (s *shard) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		if s.left == 0 {
			return 0, io.EOF
		}
		next := s.buffer[:min(int64(len(s.buffer)), s.left)]
		if err := full(s.from, next); err != nil {
			return 0, err
		}
		s.rest, s.left = next, s.left-int64(len(next))
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// enter goes to a sample, which is the next.
func (s *shard) enter(sample, size int64) error {
	h, err := s.tar.Next()
	switch {
	case errors.Is(err, tar.ErrHeader), errors.Is(err, io.EOF):
		return fileio.Wrong(blockcheck.Corrupt, "the tar file has no header of %s: %w", entryOf(sample), err)
	case err != nil:
		return err
	case h.Name != entryOf(sample) || h.Size != size:
		return fileio.Wrong(blockcheck.Misplaced, "the tar file has %s of %d bytes in the place of %s of %d", h.Name, h.Size, entryOf(sample), size)
	}
	return nil
}

// full fills a buffer. What ends before is a short read.
func full(from io.Reader, buffer []byte) error {
	n, err := io.ReadFull(from, buffer)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fileio.Wrong(fileio.ShortIO, "the content ends after %d of %d bytes: %w", n, len(buffer), err)
	}
	return err
}
