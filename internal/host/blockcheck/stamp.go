// Package blockcheck marks blocks with their identity, so that a reader knows whether the
// medium returned the block last written there. It takes and returns bytes; it reads no
// file.
package blockcheck

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
)

// A stamped block begins with a header, little-endian:
//
//	0   8  magic
//	8   8  volume
//	16  8  offset in the volume, bytes
//	24  4  generation: how often the block has been written
//	28  4  size of the block
//	32  8  file
//	40  4  CRC-32C of the block with this field left out
//
// Every further sector begins with a mark of its own, made of all that, so that
// no two sectors of a volume are alike and a torn write shows. The rest is
// random, so that nothing can be compressed. A block that is too short for a header,
// as the end of a file may be, consists of marks alone.
const (
	magic = "plimblk2"
	// Header is the size of a block's header in bytes.
	Header = 44
	header = Header
	// Sector is what media write as a whole.
	Sector = 512

	atVolume     = 8
	atOffset     = 16
	atGeneration = 24
	atSize       = 28
	atFile       = 32
	atChecksum   = 40
)

// CRC-32C has an instruction in the processors that servers have and takes half the time
// of XXH64 (BenchmarkChecksum, docs/driver-measurements.md).
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Stamp is the identity of a block's expected contents.
type Stamp struct {
	Volume     uint64
	File       uint64 // number within the volume; 0 where there is only one
	Offset     int64  // in the file, bytes
	Generation uint32 // how often the block has been written
}

// Generations is how many there are; they wrap around to 1.
const Generations = 1 << 24

// Next is the generation after another.
func Next(generation uint32) uint32 { return generation%(Generations-1) + 1 }

// newer compares generations that may have wrapped around.
func newer(a, b uint32) bool {
	ahead := (a + Generations - b) % Generations
	return ahead > 0 && ahead < Generations/2
}

// Write stamps a block of random bytes.
func (s Stamp) Write(block []byte) {
	if len(block) < header {
		s.short(block)
		return
	}
	copy(block, magic)
	binary.LittleEndian.PutUint64(block[atVolume:], s.Volume)
	binary.LittleEndian.PutUint64(block[atOffset:], uint64(s.Offset))
	binary.LittleEndian.PutUint32(block[atGeneration:], s.Generation)
	binary.LittleEndian.PutUint32(block[atSize:], uint32(len(block)))
	binary.LittleEndian.PutUint64(block[atFile:], s.File)
	for at := Sector; at+markSize <= len(block); at += Sector {
		binary.LittleEndian.PutUint64(block[at:], s.mark(at))
	}
	binary.LittleEndian.PutUint32(block[atChecksum:], checksum(block))
}

// short fills a block without a header.
func (s Stamp) short(block []byte) {
	var mark [markSize]byte
	for at := 0; at < len(block); at += markSize {
		binary.LittleEndian.PutUint64(mark[:], s.mark(at))
		copy(block[at:], mark[:])
	}
}

const markSize = 8 // bytes

// mark is the beginning of a sector within the block: all of the stamp, mixed by a step of
// SplitMix64.
func (s Stamp) mark(at int) uint64 {
	x := s.Volume ^ s.File*0xd1342543de82ef95 ^ uint64(s.Offset+int64(at))*0x9e3779b97f4a7c15 ^ uint64(s.Generation)<<40
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return x ^ x>>27
}

func checksum(block []byte) uint32 {
	sum := crc32.Update(0, castagnoli, block[:atChecksum])
	return crc32.Update(sum, castagnoli, block[header:])
}

// Read returns the stamp of a block; valid reports whether it is one of ours and undamaged.
func Read(block []byte) (s Stamp, valid bool) {
	s, ours := readHeader(block)
	return s, ours && binary.LittleEndian.Uint32(block[atChecksum:]) == checksum(block)
}

// Size returns the size of the stamped block that begins with a sector, 0 when none does.
func Size(first []byte) int64 {
	if _, ours := readHeader(first); !ours {
		return 0
	}
	return int64(binary.LittleEndian.Uint32(first[atSize:]))
}

// Peek returns the stamp at the beginning of a block, given at least its first Header
// bytes; ours reports whether there is one. Nothing is checked.
func Peek(first []byte) (s Stamp, ours bool) {
	if len(first) < header {
		return s, false
	}
	return readHeader(first)
}

func readHeader(block []byte) (s Stamp, ours bool) {
	return Stamp{
		Volume:     binary.LittleEndian.Uint64(block[atVolume:]),
		File:       binary.LittleEndian.Uint64(block[atFile:]),
		Offset:     int64(binary.LittleEndian.Uint64(block[atOffset:])),
		Generation: binary.LittleEndian.Uint32(block[atGeneration:]),
	}, string(block[:len(magic)]) == magic
}

// The classes of wrong content, as results name them.
const (
	Corrupt   = "corrupt"   // the checksum is wrong
	Torn      = "torn"      // sectors of more than one write
	Stale     = "stale"     // of an earlier write
	Misplaced = "misplaced" // of another place, or another volume
	Foreign   = "foreign"   // not written by this run
)

// Error is a block that is not as it was written.
type Error struct {
	Class  string
	File   uint64
	Offset int64 // in the file, bytes
	Found  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s block at %s: %s", e.Class, place(e.File, e.Offset), e.Found)
}

func place(file uint64, offset int64) string {
	if file == 0 {
		return fmt.Sprintf("offset %d", offset)
	}
	return fmt.Sprintf("offset %d of file %d", offset, file)
}

// ErrorClass implements workload's classes of errors.
func (e *Error) ErrorClass() string { return e.Class }

// Check compares a block with its expected contents.
func (s Stamp) Check(block []byte) error {
	if len(block) < header {
		return s.checkShort(block)
	}
	found, valid := Read(block)
	if valid && found == s {
		return nil
	}
	class, text := s.diagnose(block, found, valid)
	return &Error{class, s.File, s.Offset, text}
}

func (s Stamp) checkShort(block []byte) error {
	var want [header]byte
	s.short(want[:len(block)])
	if bytes.Equal(block, want[:len(block)]) {
		return nil
	}
	return &Error{Corrupt, s.File, s.Offset, fmt.Sprintf("its %d bytes are not those of generation %d", len(block), s.Generation)}
}

func (s Stamp) diagnose(block []byte, found Stamp, valid bool) (class, text string) {
	_, ours := readHeader(block)
	switch {
	case !ours && s.marks(block) > 0:
		return Torn, fmt.Sprintf("%d of %d sectors are those of generation %d, and the first is none of ours", s.marks(block), sectors(block), s.Generation)
	case !ours:
		return Foreign, fmt.Sprintf("it begins with %x, which this workload did not write", block[:8])
	case !valid && found.Volume == s.Volume && found.File == s.File && found.Offset == s.Offset:
		return s.damaged(block, found)
	case !valid:
		return Corrupt, "its checksum is wrong"
	case found.Volume != s.Volume:
		return Misplaced, fmt.Sprintf("it belongs to volume %016x, not %016x", found.Volume, s.Volume)
	case found.File != s.File || found.Offset != s.Offset:
		return Misplaced, "it belongs to " + place(found.File, found.Offset)
	case newer(found.Generation, s.Generation):
		return Foreign, fmt.Sprintf("generation %d was not written by this run, whose last one is %d", found.Generation, s.Generation)
	}
	return Stale, fmt.Sprintf("generation %d, but %d was acknowledged", found.Generation, s.Generation)
}

// damaged distinguishes a torn block, with sectors from several writes, from a corrupt one,
// with sectors from none.
func (s Stamp) damaged(block []byte, found Stamp) (class, text string) {
	sectors := sectors(block)
	if own := found.marks(block); own < sectors {
		if found.Generation != s.Generation && own+s.marks(block) >= sectors || s.earlier(block, own) {
			return Torn, fmt.Sprintf("%d of %d sectors are those of generation %d; %d was acknowledged", own, sectors, found.Generation, s.Generation)
		}
	}
	return Corrupt, fmt.Sprintf("the checksum of generation %d is wrong", found.Generation)
}

// sectors is how many sectors of a block can be marked: at its end may be one
// that is too short.
func sectors(block []byte) int { return 1 + max(0, len(block)-markSize)/Sector }

// marks counts the sectors of a block that carry the mark of the stamp. The
// first counts when its header does.
func (s Stamp) marks(block []byte) (n int) {
	if found, ours := readHeader(block); ours && found == s {
		n++
	}
	for at := Sector; at+markSize <= len(block); at += Sector {
		if binary.LittleEndian.Uint64(block[at:]) == s.mark(at) {
			n++
		}
	}
	return n
}

// recent is how many generations back a torn block's sectors are looked for.
const recent = 64

// earlier reports whether the other sectors come from one recent generation.
func (s Stamp) earlier(block []byte, own int) bool {
	for back := uint32(1); back <= recent && back < s.Generation; back++ {
		before := s
		before.Generation = s.Generation - back
		if n := before.marks(block); n > 0 && n+own >= sectors(block) {
			return true
		}
	}
	return false
}

// Random returns what no device can compress.
func Random(block []byte, seed uint64) {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	_, _ = rand.NewChaCha8(key).Read(block) // never fails
}
