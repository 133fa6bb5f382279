package trial

import (
	"errors"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/text/sanitize"
)

// timedError is an error that knows when it happened.
type timedError struct {
	at time.Time
	error
}

func (e timedError) Unwrap() error { return e.error }

func failureOf(err error, stage string) *result.Failure {
	f := &result.Failure{At: time.Now(), Stage: stage, Cause: sanitize.Masked(err.Error())}
	var timed timedError
	if errors.As(err, &timed) {
		f.At = timed.at
	}
	var of memberError
	if errors.As(err, &of) {
		f.Member = of.member
	}
	return f
}

// memberError is an error of one member.
type memberError struct {
	member string
	error
}

func (e memberError) Error() string { return "member " + e.member + ": " + e.error.Error() }

func (e memberError) Unwrap() error { return e.error }
