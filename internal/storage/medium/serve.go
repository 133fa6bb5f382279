package medium

import (
	"context"
	"errors"
	"io"
)

func serve(context.Context, Config, io.Reader, io.Writer) error {
	return errors.New("the medium is being built")
}
