package command

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/text/unit"
)

// StandardInput is what a file that the user names is called to read standard input.
const StandardInput = "-"

// ReadInput reads a file that the user named, which may be a pipe, or standard input.
// It gives the name to show. Whoever waits for a pipe can be interrupted.
func (s *State) ReadInput(path string) (name string, text []byte, err error) {
	name, from := "standard input", s.Stdin
	if path != StandardInput {
		f, err := untrusted.Unwaiting(path)
		if err != nil {
			return path, nil, err
		}
		defer f.Close()
		name, from = path, f
	}
	if text, err = readAll(s.Context, from); err != nil {
		return name, nil, err
	}
	if len(text) > untrusted.MostInput {
		return name, nil, fmt.Errorf("%s has more than %s", name, unit.Bytes(untrusted.MostInput))
	}
	if len(text) == 0 && path != StandardInput && isPipe(from) {
		return name, nil, fmt.Errorf("%s is a pipe that nobody writes to; what a command writes can be read as -, standard input", name)
	}
	return name, text, nil
}

// readAll reads one byte more than the largest input, or until the context ends.
func readAll(ctx context.Context, from io.Reader) ([]byte, error) {
	type input struct {
		text []byte
		err  error
	}
	done := make(chan input, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(from, untrusted.MostInput+1))
		done <- input{text, err}
	}()
	select {
	case in := <-done:
		return in.text, in.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func isPipe(from io.Reader) bool {
	f, ok := from.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}
