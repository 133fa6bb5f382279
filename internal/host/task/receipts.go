package task

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Receipts are kept packed: for each its length in bytes (uvarint) and its
// bytes, which only the workload that wrote them can read.

// maxReceipt bounds a receipt, in bytes: one is kept for each unit of work.
const maxReceipt = 64 << 10

// AppendReceipt packs a receipt behind others.
func AppendReceipt(packed, receipt []byte) []byte {
	packed = binary.AppendUvarint(packed, uint64(len(receipt)))
	return append(packed, receipt...)
}

// EachReceipt visits packed receipts until yield returns false. What ends
// within a receipt gives io.ErrUnexpectedEOF after the whole ones. A receipt is
// valid until the next.
func EachReceipt(packed io.Reader, yield func(receipt []byte) bool) error {
	r := bufio.NewReader(packed)
	var receipt []byte
	for {
		length, err := binary.ReadUvarint(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if length > maxReceipt {
			return fmt.Errorf("a receipt of %d bytes, the limit is %d", length, maxReceipt)
		}
		receipt = append(receipt[:0], make([]byte, length)...)
		if _, err := io.ReadFull(r, receipt); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if !yield(receipt) {
			return nil
		}
	}
}

// receiptsFrame is about how many bytes of receipts go into a frame.
const receiptsFrame = 32 << 10

// ReceiptsInput makes the input of a task out of packed receipts of an instance. The
// returned function may be called again for a second attempt; its reader must be closed.
func ReceiptsInput(instance int, open func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		packed, err := open()
		if err != nil {
			return nil, err
		}
		r, w := io.Pipe()
		go func() {
			w.CloseWithError(errors.Join(frameReceipts(w, instance, packed), packed.Close()))
		}()
		return r, nil
	}
}

func frameReceipts(to io.Writer, instance int, packed io.Reader) error {
	frames := newFrames(to)
	var chunk []byte
	var failed error
	send := func() bool {
		failed = frames.receipts(instance, chunk)
		chunk = chunk[:0]
		return failed == nil
	}
	err := EachReceipt(packed, func(receipt []byte) bool {
		chunk = AppendReceipt(chunk, receipt)
		return len(chunk) < receiptsFrame || send()
	})
	if err != nil {
		return fmt.Errorf("read receipts of instance %d: %w", instance, err)
	}
	if failed == nil && len(chunk) > 0 {
		send()
	}
	return errors.Join(failed, frames.end(nil))
}
