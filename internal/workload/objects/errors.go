package objects

import (
	"errors"
	"net"
	"net/http"
	"syscall"

	"github.com/minio/minio-go/v7"
)

// Classes of errors in addition to package objectio's and to wrong content (package
// blockcheck).
const (
	back     = "deleted-object" // one whose deletion was acknowledged is there
	wrongTag = "wrong-tag"      // a tag is not as it was set
)

// untouched reports whether a change that failed was surely not made: nobody took the
// request, or the store refused it.
func untouched(err error) bool {
	if answer, ok := errors.AsType[minio.ErrorResponse](err); ok {
		return answer.StatusCode >= 400 && answer.StatusCode < 500 || answer.StatusCode == http.StatusServiceUnavailable
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
