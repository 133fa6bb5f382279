package s3wire

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"

	"github.com/minio/minio-go/v7"
)

// longestRefusal bounds how much of a refusal is read, in bytes.
const longestRefusal = 64 << 10

// codes are for answers that have only a status, as those to HEAD do.
var codes = map[int]string{
	http.StatusForbidden: "AccessDenied", http.StatusNotFound: minio.NoSuchKey, http.StatusServiceUnavailable: "ServiceUnavailable",
}

// refusal is the store's answer that it did not do what was asked for: a
// minio.ErrorResponse, as the client for everything gives it.
func (c *Conn) refusal(key string) error {
	r := minio.ErrorResponse{StatusCode: c.head.StatusCode()}
	text, err := io.ReadAll(io.LimitReader(&c.rest, longestRefusal))
	if err == nil {
		_ = xml.Unmarshal(text, &r) // what stands before a store may write anything
	}
	if c.rest.left != 0 {
		c.drop()
	}
	if r.Code == "" {
		r.Code = codes[r.StatusCode]
	}
	if r.Code == "" {
		r.Code = http.StatusText(r.StatusCode)
	}
	if r.Message == "" {
		r.Message = "the store answered " + http.StatusText(r.StatusCode)
	}
	if r.Key == "" {
		r.Key = key
	}
	return r
}

// isAnswer reports whether an error is the store's.
func isAnswer(err error) bool {
	_, ok := errors.AsType[minio.ErrorResponse](err)
	return ok
}
