package app

import (
	"context"
	"errors"

	"plimsoll/internal/describe"
)

// Sessions lists the sessions at work of a database of a server, again and again.
type Sessions interface {
	// List returns the sessions at work without this one. It changes nothing, and takes about
	// a millisecond of the server's CPU at most.
	List(ctx context.Context) ([]describe.Activity, error)
	Close() error
}

// ErrHidden means that an account may not see what the sessions of other accounts do.
var ErrHidden = errors.New("the account may not see what other sessions wait for")
