package instance

import (
	"context"
	"errors"
	"fmt"
	"io"

	"plimsoll/internal/host/safefile"
)

// KeepLog copies the log of a server or task.
func KeepLog(ctx context.Context, open func(context.Context) (io.ReadCloser, error), to string) error {
	from, err := open(ctx)
	if err != nil {
		return fmt.Errorf("keep a log: %w", err)
	}
	defer from.Close()
	f, err := safefile.Replace(to, 0o644)
	if err == nil {
		_, err = io.Copy(f, from)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("keep a log: %w", err)
	}
	return nil
}
