package s3

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
)

// explained adds to an error of the store what can be done about it.
func (p *Parameters) explained(err error) error {
	if err == nil {
		return nil
	}
	if answer, answered := errors.AsType[minio.ErrorResponse](err); answered && answer.Code != "" && !strings.Contains(err.Error(), answer.Code) {
		err = fmt.Errorf("%w (%s)", err, answer.Code) // which its message need not say
	}
	if advice := p.advice(err); advice != "" {
		return fmt.Errorf("%s: %w", advice, err)
	}
	return err
}

func (p *Parameters) advice(err error) string {
	if errors.Is(err, bucket.ErrKept) {
		return "the store's retention keeps what is put into a bucket: no bucket of a run could be removed after it. Have it keep nothing in the buckets of these keys, or remove the bucket when its time is over"
	}
	if r, is := errors.AsType[*bucket.Redirect](err); is {
		return ofRedirect(r)
	}
	answer, answered := errors.AsType[minio.ErrorResponse](err)
	if !answered {
		return ofConnection(err)
	}
	switch answer.Code {
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidSecurity", "XAdminUserNotFound":
		return "the store does not accept the keys of " + p.whose()
	case "RequestTimeTooSkewed", "RequestExpired":
		return fmt.Sprintf("the store's clock and this machine's (%s) are too far apart for signed requests: set the wrong one", time.Now().UTC().Format(time.RFC3339))
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException", "InvalidLocationConstraint", "InvalidRegion":
		return p.otherRegion(answer.Region)
	case "AccessDenied", "AllAccessDisabled", "MethodNotAllowed":
		return "the keys of " + p.whose() + " do not allow it: a run makes buckets of its own, tags, fills, lists and removes them"
	case "TooManyBuckets":
		return "the account may have no more buckets: every instance has one while it is measured"
	case "SlowDown", "ServiceUnavailable", "RequestLimitExceeded", "TooManyRequests":
		return "the store asks for fewer requests"
	}
	return ""
}

func (p *Parameters) otherRegion(is string) string {
	if is == "" || is == p.region() {
		return fmt.Sprintf("the store is not of region %s, for which requests are signed: set region", p.region())
	}
	return fmt.Sprintf("the store is of region %s, and requests are signed for %s: set region: %s", is, p.region(), is)
}

// whose says where the keys are from.
func (p *Parameters) whose() string {
	if p.givenKeys != nil {
		return "the user that the run made"
	}
	if p.KeysFile != "" {
		return "keys_file " + p.KeysFile
	}
	return p.AccessKeyEnv + " and " + p.SecretKeyEnv
}

func ofRedirect(r *bucket.Redirect) string {
	if r.WithinSite() {
		return "it sends to another page, as a web page does and an object store does not: see whether the URL is that of the store"
	}
	return "requests are signed for the servers that the study names alone: write " + r.Elsewhere() + " in urls if that is the store"
}

// ofConnection is about errors without an answer.
func ofConnection(err error) string {
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
		return "nobody whom this machine trusts has signed the store's certificate: name the file of its authority in ca_file"
	}
	if _, other := errors.AsType[x509.HostnameError](err); other {
		return "the store's certificate is for another name than the URL's"
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return "the store does not speak TLS there: begin the URL with http://"
	}
	if network, is := errors.AsType[*net.OpError](err); is && network.Op == "dial" {
		return "no store answers there: see whether the URL is right, and whether this machine reaches it without a proxy, since none is used"
	}
	return ""
}
