package load

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"plimsoll/internal/mounts"
	"plimsoll/internal/workload"
)

// An acknowledgement file is a line of text that names the format, and then
// for each acknowledgement a byte of flags and five variable-length integers
// (encoding/binary): identifier, customer, lines, quantity, hundredths. That
// is about 12 bytes an order.
const (
	ackHeader   = "plimsoll acknowledgements 1\n"
	ackCertain  = 0
	ackDoubtful = 1
)

// AckPath is the file that holds an instance's acknowledgements in dir.
func AckPath(dir string, instance int) string {
	return filepath.Join(dir, fmt.Sprintf("instance-%03d.acks", instance))
}

// ackFile writes the acknowledgements of one instance.
type ackFile struct {
	mu     sync.Mutex
	file   *os.File
	buffer *bufio.Writer
	record []byte
}

func createAcks(dir string, instance int) (*ackFile, error) {
	f, err := os.Create(AckPath(dir, instance))
	if err != nil {
		return nil, fmt.Errorf("keep acknowledgements: %w", err)
	}
	a := &ackFile{file: f, buffer: bufio.NewWriter(f)}
	_, err = a.buffer.WriteString(ackHeader)
	return a, err
}

func (a *ackFile) add(k workload.Ack) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := append(a.record[:0], ackCertain)
	if k.Doubtful {
		b[0] = ackDoubtful
	}
	for _, n := range [...]int64{k.ID, k.Customer, int64(k.Lines), int64(k.Quantity), k.Cents} {
		b = binary.AppendVarint(b, n)
	}
	a.record = b
	_, _ = a.buffer.Write(b) // flush tells: the writer keeps its first error
}

// flush hands what is buffered to the system.
func (a *ackFile) flush() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.buffer.Flush(); err != nil {
		return fmt.Errorf("keep acknowledgements: %w", mounts.NameFull(err, a.file.Name()))
	}
	return nil
}

func (a *ackFile) close() error { return errors.Join(a.flush(), a.file.Close()) }

// ReadAcks reads an acknowledgement file in the form that Workload.Audit
// takes, without holding it in memory. A file that ends within a record, as
// that of a killed driver may, gives what is whole and then
// io.ErrUnexpectedEOF.
func ReadAcks(path string) func(yield func(workload.Ack) bool) error {
	return func(yield func(workload.Ack) bool) error {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("read acknowledgements: %w", err)
		}
		defer f.Close()
		if err := readAcks(bufio.NewReader(f), yield); err != nil {
			return fmt.Errorf("read acknowledgements from %s: %w", path, err)
		}
		return nil
	}
}

func readAcks(r *bufio.Reader, yield func(workload.Ack) bool) error {
	header := make([]byte, len(ackHeader))
	if _, err := io.ReadFull(r, header); err != nil || string(header) != ackHeader {
		return fmt.Errorf("the file does not begin with %q", ackHeader)
	}
	for {
		k, err := readAck(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !yield(k) {
			return nil
		}
	}
}

// readAck gives io.EOF only where a record would begin.
func readAck(r *bufio.Reader) (workload.Ack, error) {
	flags, err := r.ReadByte()
	if err != nil {
		return workload.Ack{}, err
	}
	if flags > ackDoubtful {
		return workload.Ack{}, fmt.Errorf("a record begins with byte %d, want %d or %d", flags, ackCertain, ackDoubtful)
	}
	var n [5]int64
	for i := range n {
		if n[i], err = binary.ReadVarint(r); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return workload.Ack{}, err
		}
	}
	if n[2] != int64(int32(n[2])) || n[3] != int64(int32(n[3])) {
		return workload.Ack{}, fmt.Errorf("a record has %d lines and a quantity of %d, which is not a valid order", n[2], n[3])
	}
	return workload.Ack{
		ID: n[0], Customer: n[1], Lines: int32(n[2]), Quantity: int32(n[3]), Cents: n[4],
		Doubtful: flags == ackDoubtful,
	}, nil
}
