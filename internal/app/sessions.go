package app

import (
	"context"
	"errors"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// SessionLister is an engine whose servers report what each of their sessions does.
type SessionLister interface {
	// Sessions opens a session that lists the others of the endpoint's database. It fails with
	// ErrHidden if the endpoint's account may not see what they do.
	Sessions(ctx context.Context, e endpoint.Endpoint) (Sessions, error)
}

// Sessions lists the sessions at work of a database of a server, again and again.
type Sessions interface {
	// List returns the sessions at work without this one. It changes nothing, and takes about
	// a millisecond of the server's CPU at most.
	List(ctx context.Context) ([]describe.Activity, error)
	Close() error
}

// ErrHidden means that an account may not see what the sessions of other accounts do.
var ErrHidden = errors.New("the account may not see what other sessions wait for")
