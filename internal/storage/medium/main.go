package medium

import (
	"context"
	"io"
)

// Main is the process of a medium: it serves the block file until ctx ends,
// the file is unmounted, or it is killed. Control commands come in on stdin
// and are answered on stdout, one JSON object a line (see Control); the end of
// stdin ends the simulated times, so that a run whose Plimsoll died can be
// cleaned quickly.
func Main(ctx context.Context, configPath string, stdin io.Reader, stdout io.Writer) error {
	c, err := ReadConfig(configPath)
	if err != nil {
		return err
	}
	return serve(ctx, c, stdin, stdout)
}
