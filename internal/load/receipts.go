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

// A file of receipts is a line of text that names the format, and then each
// receipt with its length before it as an unsigned variable-length integer
// (encoding/binary). What a receipt says only the workload knows.
const receiptHeader = "plimsoll receipts 1\n"

// maxReceipt bounds a receipt in bytes, so that a damaged file is not read into
// memory as a whole.
const maxReceipt = 64 << 10

// ReceiptPath is the file that holds an instance's receipts in dir.
func ReceiptPath(dir string, instance int) string {
	return filepath.Join(dir, fmt.Sprintf("instance-%03d.receipts", instance))
}

// receiptFile writes the receipts of one instance.
type receiptFile struct {
	mu     sync.Mutex
	file   *os.File
	buffer *bufio.Writer
	length [binary.MaxVarintLen64]byte
}

func createReceipts(dir string, instance int) (*receiptFile, error) {
	f, err := os.Create(ReceiptPath(dir, instance))
	if err != nil {
		return nil, fmt.Errorf("keep receipts: %w", err)
	}
	r := &receiptFile{file: f, buffer: bufio.NewWriter(f)}
	_, err = r.buffer.WriteString(receiptHeader)
	return r, err
}

func (r *receiptFile) add(receipt []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := binary.PutUvarint(r.length[:], uint64(len(receipt)))
	_, _ = r.buffer.Write(r.length[:n])
	_, _ = r.buffer.Write(receipt) // flush tells: the writer keeps its first error
}

// flush hands what is buffered to the system.
func (r *receiptFile) flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.buffer.Flush(); err != nil {
		return fmt.Errorf("keep receipts: %w", mounts.NameFull(err, r.file.Name()))
	}
	return nil
}

func (r *receiptFile) close() error { return errors.Join(r.flush(), r.file.Close()) }

// ReadReceipts reads a file of receipts without holding it in memory. A file
// that ends within a receipt, as that of a killed driver may, gives what is
// whole and then io.ErrUnexpectedEOF.
func ReadReceipts(path string) workload.Receipts {
	return func(yield func(receipt []byte) bool) error {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("read receipts: %w", err)
		}
		defer f.Close()
		if err := readReceipts(bufio.NewReader(f), yield); err != nil {
			return fmt.Errorf("read receipts from %s: %w", path, err)
		}
		return nil
	}
}

func readReceipts(r *bufio.Reader, yield func(receipt []byte) bool) error {
	header := make([]byte, len(receiptHeader))
	if _, err := io.ReadFull(r, header); err != nil || string(header) != receiptHeader {
		return fmt.Errorf("the file does not begin with %q", receiptHeader)
	}
	var receipt []byte
	for {
		length, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if length > maxReceipt {
			return fmt.Errorf("a receipt of %d bytes is more than the %d that there can be", length, maxReceipt)
		}
		receipt = append(receipt[:0], make([]byte, length)...)
		if _, err := io.ReadFull(r, receipt); err != nil {
			return io.ErrUnexpectedEOF
		}
		if !yield(receipt) {
			return nil
		}
	}
}
