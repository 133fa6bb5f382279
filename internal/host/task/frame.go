package task

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// FrameKind is the kind of a frame's payload.
type FrameKind byte

// Kinds of frames.
const (
	HelloFrame    FrameKind = 'h' // Hello as JSON; the first frame, and only that
	RecordFrame   FrameKind = 'r' // one JSON object, without the end of its line
	ReceiptsFrame FrameKind = 'a' // the instance's number (uvarint), then receipts (see Receipts)
	ProgressFrame FrameKind = 'p' // Progress as JSON
	ResultFrame   FrameKind = 'j' // what came out, as JSON
	EndFrame      FrameKind = 'e' // the last frame; why the task failed, empty when it did not
)

// Frame is one message of a task. Payload is valid until the next frame is read.
type Frame struct {
	Number  uint64 // from 1, without gaps
	Kind    FrameKind
	Payload []byte
}

// A frame on the wire is a header, the payload, and a checksum (CRC-32C) of both.
// The header is the payload's length (4 bytes), the number (8 bytes) and the kind
// (1 byte); integers are little-endian.
const (
	headerLength   = 4 + 8 + 1
	checksumLength = 4
	// maxPayload bounds the payload of a frame, in bytes; a record with full histograms has
	// some 20 kB.
	maxPayload = 16 << 20
)

// ErrDamaged means that bytes of a stream are not those that were written.
var ErrDamaged = errors.New("damaged frame")

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // made once, by package crc32

// appendFrame encodes a frame.
func appendFrame(to []byte, f Frame) []byte {
	start := len(to)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(f.Payload)))
	to = binary.LittleEndian.AppendUint64(to, f.Number)
	to = append(to, byte(f.Kind))
	to = append(to, f.Payload...)
	return binary.LittleEndian.AppendUint32(to, crc32.Checksum(to[start:], castagnoli()))
}

// Decoder reads frames.
type Decoder struct {
	r    *bufio.Reader
	body []byte
}

// NewDecoder reads from r, ahead of the frames it decodes.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{r: bufio.NewReader(r)} }

// Next returns the next frame. The error is io.EOF at the end of the stream,
// io.ErrUnexpectedEOF when it ends within a frame, and wraps ErrDamaged when the bytes
// cannot be a frame.
func (d *Decoder) Next() (Frame, error) {
	var head [headerLength]byte
	if _, err := io.ReadFull(d.r, head[:]); err != nil {
		return Frame{}, err
	}
	length := binary.LittleEndian.Uint32(head[:])
	if length > maxPayload {
		return Frame{}, fmt.Errorf("%w: a payload of %d bytes, the limit is %d", ErrDamaged, length, maxPayload)
	}
	if err := d.read(int(length) + checksumLength); err != nil {
		return Frame{}, err
	}
	payload := d.body[:length]
	sum := crc32.Update(crc32.Checksum(head[:], castagnoli()), castagnoli(), payload)
	if want := binary.LittleEndian.Uint32(d.body[length:]); sum != want {
		return Frame{}, fmt.Errorf("%w: its checksum is %08x, not %08x", ErrDamaged, sum, want)
	}
	return Frame{Number: binary.LittleEndian.Uint64(head[4:]), Kind: FrameKind(head[headerLength-1]), Payload: payload}, nil
}

// readStep bounds the memory allocated for a payload before any of it has arrived: the
// length may be damaged.
const readStep = 1 << 20

// read fills body with n bytes.
func (d *Decoder) read(n int) error {
	d.body = d.body[:0]
	for have := 0; have < n; have = len(d.body) {
		step := min(readStep, n-have)
		d.body = append(d.body, make([]byte, step)...)
		if _, err := io.ReadFull(d.r, d.body[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// Seek moves a spool to the frame with a number or, when it is not there yet, to
// behind the last whole frame before it.
func Seek(spool io.ReadSeeker, number uint64) error {
	at, err := spool.Seek(0, io.SeekStart)
	if err != nil {
		return fmt.Errorf("look for frame %d: %w", number, err)
	}
	for d := NewDecoder(spool); ; {
		f, err := d.Next()
		if err != nil || f.Number >= number {
			break // the next reader finds the damage
		}
		at += int64(headerLength + len(f.Payload) + checksumLength)
	}
	if _, err := spool.Seek(at, io.SeekStart); err != nil {
		return fmt.Errorf("look for frame %d: %w", number, err)
	}
	return nil
}

// Hello reads the payload of a HelloFrame.
func (f Frame) Hello() (h Hello, err error) {
	err = json.Unmarshal(f.Payload, &h)
	return h, err
}

// Progress reads the payload of a ProgressFrame.
func (f Frame) Progress() (p Progress, err error) {
	err = json.Unmarshal(f.Payload, &p)
	return p, err
}

// Receipts reads the payload of a ReceiptsFrame: whose they are, and the
// receipts, packed.
func (f Frame) Receipts() (instance int, packed []byte, err error) {
	n, size := binary.Uvarint(f.Payload)
	if size <= 0 || n > maxInstance {
		return 0, nil, fmt.Errorf("%w: receipts that do not say whose they are", ErrDamaged)
	}
	return int(n), f.Payload[size:], nil
}

const maxInstance = 1 << 30
