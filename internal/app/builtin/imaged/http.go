package imaged

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"plimsoll/internal/app/builtin/transfer"
)

// The service is also a web server for downloads of items in their stored form. The path is
// the item's name, and the token is a bearer token (RFC 6750).
const bearer = "Bearer "

// Download takes an item from its URL through stages of the user's own.
func (p Place) Download(ctx context.Context, name, published string, w Way, stages []transfer.Stage) (Account, error) {
	about := Request{Do: get, Name: name}
	c, err := p.connect(ctx, w.TLS)
	if err != nil {
		return Account{}, p.about(about, lost(err))
	}
	defer c.Close()
	if err := p.request(c, name); err != nil {
		return Account{}, p.about(about, lost(err))
	}
	c.HTTP()
	a, err := received(ctx, c, w, published, stages)
	return a, p.about(about, err)
}

// request asks for an item.
func (p Place) request(c *transfer.Conn, name string) error {
	r, err := http.NewRequest(http.MethodGet, "http://"+Kind+"/"+name, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", bearer+p.Token)
	r.Close = true
	if err := c.SetDeadline(time.Now().Add(greeting)); err != nil {
		return err
	}
	if err := r.Write(c); err != nil {
		return err
	}
	return c.SetDeadline(time.Time{})
}

func classOfStatus(code int) string {
	switch code {
	case http.StatusNotFound:
		return NoSuchItem
	case http.StatusUnauthorized:
		return refused
	}
	return fmt.Sprintf("http-%d", code)
}

// mostHead bounds the head of a request by HTTP, in bytes.
const mostHead = 64 << 10

// requested reads the beginning of a connection: a frame, which begins with zero, or an
// HTTP request.
func requested(c *transfer.Conn) (r Request, err error) {
	var first [1]byte
	if _, err := io.ReadFull(c, first[:]); err != nil {
		return r, err
	}
	all := io.MultiReader(bytes.NewReader(first[:]), c)
	if first[0] == 0 {
		return r, readFrame(all, &r)
	}
	asked, err := http.ReadRequest(bufio.NewReader(io.LimitReader(all, mostHead)))
	if err != nil {
		return r, err
	}
	if asked.Method != http.MethodGet {
		return r, fmt.Errorf("%s is not what this server does", asked.Method)
	}
	c.HTTP()
	token, _ := strings.CutPrefix(asked.Header.Get("Authorization"), bearer)
	return Request{Token: token, Do: get, Name: strings.TrimPrefix(asked.URL.Path, "/")}, nil
}
