package cli

import (
	"errors"
	"io"
)

// written is standard output, and remembers the first error of writing to it: commands
// print many lines, and whether all of them arrived is looked at once, at the end.
type written struct {
	w   io.Writer
	err error
}

// Write implements io.Writer. After an error nothing more is written.
func (w *written) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
	return n, err
}

// and joins the error of a command with the error of writing its output. A command that ended
// with only an exit code relied on its output.
func (w *written) and(err error) error {
	var quiet silentError
	switch {
	case w.err == nil || errors.Is(err, w.err):
		return err
	case err == nil, errors.As(err, &quiet):
		return w.err
	}
	return errors.Join(err, w.err)
}
