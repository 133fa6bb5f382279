package bucket

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/signer"

	"plimsoll/internal/client/patience"
	"plimsoll/internal/describe/endpoint"
)

// nobodys is the name of a bucket that nobody has.
const nobodys = "plimsoll-nobody-has-this-bucket"

const (
	// askPatience is how long a store that is only asked may put off its answer.
	askPatience = 2 * time.Second
	// longestAnswer bounds how much of the answer is read, in bytes.
	longestAnswer = 64 << 10
	// emptySHA256 is the checksum of a request without content.
	emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

// Ask has one gateway of a store answer a signed request about a bucket that is not there, and
// fails where it does not answer as a store that lets us in: with the store's own error
// (minio.ErrorResponse), with *WebPage, *Redirect or *NotStore. It makes nothing.
func Ask(ctx context.Context, e endpoint.Endpoint, n int) error {
	s, err := endpoint.As[endpoint.Store](e)
	if err != nil {
		return err
	}
	at, err := Gateway(s, n)
	if err != nil {
		return err
	}
	direct, err := transport(e, at.Scheme == "https", AnswerLimit)
	if err != nil {
		return err
	}
	defer direct.CloseIdleConnections()
	about := *at
	if about.Path = "/" + nobodys + "/"; s.VirtualHost {
		about.Path, about.Host = "/", nobodys+"."+at.Host
	}
	about.RawQuery = "list-type=2&max-keys=1"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, about.String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("X-Amz-Content-Sha256", emptySHA256)
	r = signer.SignV4(*r, e.User, e.Password, "", s.Region)
	c := http.Client{
		Transport:     gate{&patience.Transport{Base: direct, Within: askPatience}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := c.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, longestAnswer))
	if err != nil {
		return fmt.Errorf("read the store's answer: %w", err)
	}
	return judged(originOf(at), answer, text)
}

// judged is nil for the answer of a store about a bucket that it does not have.
func judged(url string, answer *http.Response, text []byte) error {
	var root struct{ XMLName xml.Name }
	said := minio.ErrorResponse{}
	_ = xml.Unmarshal(text, &root) // an answer that is not XML has no root
	switch {
	case root.XMLName.Local == "ListBucketResult" && answer.StatusCode == http.StatusOK:
		return nil // somebody has it after all
	case root.XMLName.Local == "Error" && xml.Unmarshal(text, &said) == nil && said.Code != "":
		said.StatusCode, said.Region = answer.StatusCode, cmp.Or(said.Region, answer.Header.Get("X-Amz-Bucket-Region"))
		if said.Code == minio.NoSuchBucket {
			return nil
		}
		return said
	case patience.PutOff(answer.StatusCode): // by what stands before the store, whatever that writes
		return minio.ErrorResponse{StatusCode: answer.StatusCode, Code: "ServiceUnavailable", Message: "it answers " + answer.Status}
	case isPage(answer.Header):
		return &WebPage{url}
	}
	return &NotStore{URL: url, Status: answer.Status, Content: answer.Header.Get("Content-Type")}
}

// NotStore says that a server answers which is no object store.
type NotStore struct {
	URL, Status string
	Content     string // its type
}

// Error implements error.
func (n *NotStore) Error() string {
	return fmt.Sprintf("%s is not an object store: asked for a bucket that does not exist, it answers %s (%s) rather than NoSuchBucket", n.URL, n.Status, cmp.Or(n.Content, "of no type"))
}
