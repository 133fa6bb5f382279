package task

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxJob bounds the text of a job, in bytes: thousands of instances fit.
const maxJob = 64 << 20

// WriteJob writes a task's standard input: the job on a line, and its input, if it has any.
func WriteJob(to io.Writer, job Job, input io.Reader) error {
	text, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("write down the job of %s: %w", job.Name, err)
	}
	if _, err := to.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("hand over the job of %s: %w", job.Name, err)
	}
	if input == nil {
		return nil
	}
	if _, err := io.Copy(to, input); err != nil {
		return fmt.Errorf("hand over the input of %s: %w", job.Name, err)
	}
	return nil
}

// readJob reads a job and leaves its input to be read.
func readJob(from *bufio.Reader) (Job, error) {
	var job Job
	var line []byte
	for more := true; more; {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxJob {
			return job, fmt.Errorf("read the task's job: it is longer than %d bytes", maxJob)
		}
		more = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !more && err != io.EOF {
			return job, fmt.Errorf("read the task's job: %w", err)
		}
	}
	if err := Decode(bytes.TrimSpace(line), &job); err != nil {
		return job, fmt.Errorf("read the task's job: %w", err)
	}
	return job, nil
}

// Input is what follows a job.
type Input struct{ frames *Decoder }

// Receipts visits the receipts that the task was given, until yield returns
// false. They can be visited once. An input that was cut off gives the receipts
// that came and then an error.
func (i *Input) Receipts(yield func(receipt []byte) bool) error {
	if i.frames == nil {
		return errors.New("the task has no receipts, or has read them before")
	}
	frames := i.frames
	i.frames = nil
	for next := uint64(1); ; next++ {
		f, err := frames.Next()
		if err == nil && f.Number != next {
			err = fmt.Errorf("%w: frame %d instead of %d", ErrDamaged, f.Number, next)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("read the receipts: %w", err)
		}
		if f.Kind == EndFrame {
			return nil
		}
		more, err := visit(f, yield)
		if err != nil || !more {
			return err
		}
	}
}

func visit(f Frame, yield func([]byte) bool) (more bool, err error) {
	_, packed, err := f.Receipts()
	if err != nil {
		return false, fmt.Errorf("read the receipts: %w", err)
	}
	more = true
	err = EachReceipt(bytes.NewReader(packed), func(receipt []byte) bool {
		more = yield(receipt)
		return more
	})
	return more, err
}
