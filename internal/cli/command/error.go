package command

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/internal/host/caught"
)

// Exit codes; docs/exit-codes.md lists them for users.
const (
	ExitFailure      = 1   // anything not below
	ExitUsage        = 2   // wrong arguments, or a study with problems
	ExitCannotRun    = 3   // the plan does not fit this machine, or a part is missing
	ExitTrialFailed  = 4   // the run went to its end, some trials failed
	ExitRefused      = 5   // the results are not good enough for a verdict
	ExitDifferent    = 6   // compare: a --fail-if condition holds
	ExitLeft         = 7   // clean: something could not be removed
	ExitInconclusive = 8   // compare: the trials do not decide
	ExitUnmet        = 9   // size: no configuration meets the demand
	ExitMistake      = 10  // a mistake in Plimsoll itself
	ExitInterrupted  = 130 // stopped by a signal
	ExitReaderLeft   = 141 // the reader of the output went away; as shells number SIGPIPE
)

// codedError is an error with an exit code and what the user can do about it.
type codedError struct {
	error
	code int
	hint string
}

// Unwrap is for errors.Is and errors.As.
func (e codedError) Unwrap() error { return e.error }

// WithCode is an error that ends a command with an exit code, and a hint for its user.
func WithCode(err error, code int, hint string) error { return codedError{err, code, hint} }

// silentError ends a command with a code after everything has been printed.
type silentError struct{ code int }

// Error implements error; nobody prints it.
func (e silentError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// Silent ends a command with a code after everything has been printed.
func Silent(code int) error { return silentError{code} }

// SilentCode is the exit code of an error of which everything has been printed.
func SilentCode(err error) (code int, silent bool) {
	var quiet silentError
	silent = errors.As(err, &quiet)
	return quiet.code, silent
}

// Usage is an error in the arguments, or in a file that they name.
func Usage(err error) error { return WithCode(err, ExitUsage, "") }

// CannotRun is the error of what this machine cannot do.
func CannotRun(err error, hint string) error { return WithCode(err, ExitCannotRun, hint) }

// ExitCode is the code that an error ends the program with.
func ExitCode(err error) int {
	var coded codedError
	var mistake *caught.Panic
	switch {
	case errors.As(err, &mistake):
		return ExitMistake
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	return ExitFailure
}

// Hint is what the user can do about an error; empty where it does not say.
func Hint(err error) string {
	var coded codedError
	if errors.As(err, &coded) {
		return coded.hint
	}
	return ""
}
