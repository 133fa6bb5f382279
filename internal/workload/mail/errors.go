package mail

import (
	"context"
	"errors"
	"fmt"
	"plimsoll/internal/describe/errorclass"
	"syscall"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-smtp"
)

// Classes of errors in addition to the common ones (package errorclass).
const (
	tryLater     = "try-later"       // the mail server asks to try again (4xx)
	missing      = "missing-message" // a message that was there is not
	wrongContent = "wrong-content"   // a message has another digest than it was sent with
	notDelivered = "not-delivered"   // a message that was accepted is not in the mailbox in time
	serverError  = "server-error"    // the mailboxes' server refuses a command
)

// mailError is an error with its class.
type mailError struct {
	error
	class string
}

func (e mailError) Unwrap() error { return e.error }

// ErrorClass implements workload's classes of errors.
func (e mailError) ErrorClass() string { return e.class }

func wrong(class, format string, args ...any) error {
	return mailError{fmt.Errorf(format, args...), class}
}

// isAnswer reports whether an error is a server's answer rather than a broken connection.
func isAnswer(err error) bool {
	_, bySMTP := errors.AsType[*smtp.SMTPError](err)
	_, byIMAP := errors.AsType[*imap.Error](err)
	_, ours := errors.AsType[mailError](err)
	return bySMTP || byIMAP || ours
}

// classify adds a class to an error.
func classify(err error) error {
	if _, has := errors.AsType[mailError](err); err == nil || has {
		return err
	}
	if s, ok := errors.AsType[*smtp.SMTPError](err); ok {
		return mailError{err, classOfSMTP(s)}
	}
	if s, ok := errors.AsType[*imap.Error](err); ok {
		return mailError{err, classOfIMAP(s)}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return err
	}
	return mailError{err, errorclass.ConnectionLost}
}

// classOfSMTP reads the codes of an answer (RFC 5321, 4.2.3; RFC 3463).
func classOfSMTP(s *smtp.SMTPError) string {
	switch {
	case s.Code == 452 && (s.EnhancedCode == smtp.EnhancedCode{4, 3, 1}) || s.Code == 452 && (s.EnhancedCode == smtp.EnhancedCode{4, 2, 2}):
		return errorclass.OutOfSpace
	case s.Code == 421:
		return errorclass.NoConnections
	case s.Code >= 400 && s.Code < 500:
		return tryLater
	}
	return errorclass.Refused
}

// classOfIMAP reads the code of an answer (RFC 9051, 7.1).
func classOfIMAP(s *imap.Error) string {
	switch s.Code {
	case imap.ResponseCodeOverQuota:
		return errorclass.OutOfSpace
	case imap.ResponseCodeUnavailable, imap.ResponseCodeLimit:
		return errorclass.NoConnections
	case imap.ResponseCodeAuthenticationFailed, imap.ResponseCodeAuthorizationFailed, imap.ResponseCodeNoPerm:
		return errorclass.Refused
	}
	return serverError
}
