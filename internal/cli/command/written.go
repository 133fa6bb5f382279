package command

import (
	"errors"
	"io"
)

// Output is standard output, and remembers the first error of writing to it: commands
// print many lines, and whether all of them arrived is looked at once, at the end.
type Output struct {
	w   io.Writer
	Err error
}

// Write implements io.Writer. After an error nothing more is written.
func (w *Output) Write(p []byte) (int, error) {
	if w.Err != nil {
		return 0, w.Err
	}
	n, err := w.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	w.Err = err
	return n, err
}

// And joins the error of a command with the error of writing its output. A command that ended
// with only an exit code relied on its output.
func (w *Output) And(err error) error {
	_, silent := SilentCode(err)
	switch {
	case w.Err == nil || errors.Is(err, w.Err):
		return err
	case err == nil, silent:
		return w.Err
	}
	return errors.Join(err, w.Err)
}
