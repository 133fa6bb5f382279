package objectio

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/s3wire"
	"plimsoll/internal/describe/errorclass"

	"github.com/minio/minio-go/v7"
)

// Classes of errors in addition to the common ones (package errorclass) and to wrong
// content (package blockcheck).
const (
	slowDown    = "slow-down"      // the store asks for fewer requests (503)
	wrongKeys   = "wrong-keys"     // it knows no such access key, or the signature is another's
	clockSkew   = "clock-skew"     // its clock and this machine's are too far apart for signatures
	wrongRegion = "wrong-region"   // the signature is for another region
	noBucket    = "no-bucket"      // the bucket is not there
	Missing     = "missing-object" // an object that was acknowledged is not there
	Truncated   = "truncated"      // the content ended before its announced size
	WrongSize   = "wrong-size"     // an object has another size than was written
	serverError = "server-error"   // any other answer of 500 and above
	endlessList = "endless-list"   // a list that begins again, or has pages with nothing without end
	encoded     = "encoded"        // a content in an encoding that nobody asked for
	redirected  = "redirected"     // the store sends the request elsewhere
	webPage     = "web-page"       // a page for browsers in place of an answer
)

// storeError is an error with its class.
type storeError struct {
	error
	class string
}

func (e storeError) Unwrap() error { return e.error }

// ErrorClass implements workload's classes of errors.
func (e storeError) ErrorClass() string { return e.class }

// Wrong is what was found and is not as it must be, in the class of such errors.
func Wrong(class, format string, args ...any) error {
	return storeError{fmt.Errorf(format, args...), class}
}

// classOfCode are the store's own names of what went wrong.
var classOfCode = map[string]string{
	"SlowDown": slowDown, "ServiceUnavailable": slowDown, "RequestLimitExceeded": slowDown, "TooManyRequests": slowDown,
	"Throttling": slowDown, "ThrottlingException": slowDown, "RequestThrottled": slowDown, "SlowDownRead": slowDown, "SlowDownWrite": slowDown,
	"InvalidAccessKeyId": wrongKeys, "SignatureDoesNotMatch": wrongKeys, "XAdminUserNotFound": wrongKeys, "AccessDenied": errorclass.Refused,
	"RequestTimeTooSkewed": clockSkew, "RequestExpired": clockSkew,
	"AuthorizationHeaderMalformed": wrongRegion, "PermanentRedirect": wrongRegion,
	"TemporaryRedirect": redirected, "Redirect": redirected,
	"NoSuchBucket": noBucket, "NoSuchKey": Missing,
	"XMinioStorageFull": errorclass.OutOfSpace, "InsufficientStorage": errorclass.OutOfSpace, "QuotaExceeded": errorclass.OutOfSpace,
	"RequestTimeout": errorclass.Timeout, "IncompleteBody": Truncated,
}

// Classify gives an answer of the store its class. One that says its class already, or
// has none, stays as it is.
func Classify(err error) error {
	if _, has := errors.AsType[storeError](err); err == nil || has {
		return err
	}
	answer, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok {
		return ofConnection(err)
	}
	class := classOfCode[answer.Code]
	switch {
	case class != "":
	case answer.StatusCode == http.StatusServiceUnavailable, answer.StatusCode == http.StatusTooManyRequests:
		class = slowDown
	case answer.StatusCode == http.StatusInsufficientStorage:
		class = errorclass.OutOfSpace
	case answer.StatusCode >= 500:
		class = serverError
	case answer.Code != "":
		class = errorclass.Other + ":" + answer.Code
	default:
		return err
	}
	if answer.Code != "" && !strings.Contains(err.Error(), answer.Code) { // its message need not say it
		err = fmt.Errorf("%w (%s)", err, answer.Code)
	}
	return storeError{err, class}
}

// ofConnection gives an error without an answer its class. The client has an error of its
// own, without the cause, for a connection that ends before the answer.
func ofConnection(err error) error {
	asked, isRequest := errors.AsType[*url.Error](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return storeError{err, Truncated}
	case errors.Is(err, bucket.ErrEndless):
		return storeError{err, endlessList}
	case errors.Is(err, s3wire.ErrEncoded):
		return storeError{err, encoded}
	case is[*bucket.Redirect](err):
		return storeError{err, redirected}
	case is[*bucket.WebPage](err):
		return storeError{err, webPage}
	case errors.Is(err, s3wire.ErrNoAnswer), isRequest && strings.Contains(asked.Err.Error(), "Connection closed by foreign host"):
		return storeError{err, errorclass.ConnectionLost}
	}
	return err
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
