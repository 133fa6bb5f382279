// Package trino speaks to coordinators of Trino: it runs SQL by their HTTP protocol
// (https://trino.io/docs/current/develop/client-protocol.html) and gives the rows as they
// come, and afterwards what the coordinator counted.
//
// github.com/trinodb/trino-go-client is not used. Of its releases 1.1.0 is the last that
// Go 1.26 builds. Its progress callback, the only way to a query's statistics, is passed
// over while the one before it is still being taken, so that the last figures may never
// come; it has no blocked time, and nothing of a query that failed. It refuses a password
// without TLS, which coordinators that Plimsoll starts take on the run's own network, and
// asks the address that a coordinator has for itself for every next page.
package trino

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// Kind is the kind of the endpoints of Trino's servers, coordinators and workers.
// Coordinators ask for User and Password.
const Kind = "trino"

// Server is the payload of the kind.
type Server struct {
	// Catalog is the one whose tables lie in the bucket; empty where the server has no
	// object store.
	Catalog string `json:"catalog,omitempty"`
	// Bucket is the name of that bucket. Whoever prepares the instance makes it where the
	// store has it not.
	Bucket string `json:"bucket,omitempty"`
}

// Client asks one coordinator. Several goroutines may use it.
type Client struct {
	base           *url.URL
	user, password string
	ours           bool // Plimsoll started the server
	http           *http.Client
}

// Open makes a client of a server; it does not connect yet. Encrypted is an existing server
// whose endpoint says how, and what has a certificate to trust.
func Open(e endpoint.Endpoint) (*Client, error) {
	base := &url.URL{Scheme: "http", Host: e.Address}
	transport := &http.Transport{MaxIdleConnsPerHost: 8} // no proxy of the machine
	if e.Network == "unix" {
		base.Host = "trino"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", e.Address)
		}
	}
	encrypt := sqlconn.TLS
	if e.TLS == "" && e.Certificate != "" {
		encrypt = bucket.Trust
	}
	trust, err := encrypt(e)
	if err != nil {
		return nil, err
	}
	if trust != nil {
		base.Scheme, transport.TLSClientConfig = "https", trust
	}
	if err := sqlconn.Unhidden(e); base.Scheme == "http" && err != nil {
		return nil, sqlconn.Failed(e, err)
	}
	once := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the password is for this address alone
	return &Client{base: base, user: e.User, password: e.Password, ours: !e.Lent, http: &http.Client{Transport: transport, CheckRedirect: once}}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Query is a statement and its session settings.
type Query struct {
	SQL             string
	Catalog, Schema string // of names that say none
	// Session are properties of the session: query_max_run_time.
	Session map[string]string
}

// Column is one of an answer.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // as SQL has it: decimal(7,2)
}

// Answer is the result of a statement that succeeded.
type Answer struct {
	ID      string
	Columns []Column
	Stats   Stats
}

// Row is one row of an answer: texts, json.Number, bool or nil, in the order of the
// columns. Decimals, dates and times are texts.
type Row []any

// page is one answer of the protocol.
type page struct {
	ID      string    `json:"id"`
	NextURI string    `json:"nextUri"`
	Columns []Column  `json:"columns"`
	Data    []Row     `json:"data"`
	Stats   wireStats `json:"stats"`
	Error   *Error    `json:"error"`
}

// Run runs a statement to its end and gives every row to take, which may be nil; an error
// of take ends the statement. When ctx ends, the coordinator is told to give the statement
// up. A statement that fails is an *Error.
func (c *Client) Run(ctx context.Context, q Query, take func(Row) error) (Answer, error) {
	p, err := c.ask(ctx, http.MethodPost, c.at("/v1/statement"), strings.NewReader(q.SQL), q)
	var a Answer
	for err == nil {
		a.ID, a.Stats = p.ID, p.Stats.stats()
		if len(p.Columns) > 0 {
			a.Columns = p.Columns
		}
		if p.Error != nil {
			return a, p.Error
		}
		if err = eachRow(p.Data, take); err != nil {
			break
		}
		if p.NextURI == "" {
			return a, nil
		}
		next := c.follow(p.NextURI)
		if p, err = c.ask(ctx, http.MethodGet, next, nil, Query{}); err != nil {
			return a, errors.Join(err, c.cancel(ctx, next))
		}
	}
	if p.NextURI != "" {
		err = errors.Join(err, c.cancel(ctx, c.follow(p.NextURI)))
	}
	return a, err
}

func eachRow(rows []Row, take func(Row) error) error {
	for _, row := range rows {
		if take == nil {
			return nil
		}
		if err := take(row); err != nil {
			return err
		}
	}
	return nil
}

// All returns the rows of a small answer.
func (c *Client) All(ctx context.Context, q Query) (rows []Row, err error) {
	_, err = c.Run(ctx, q, func(r Row) error {
		rows = append(rows, r)
		return nil
	})
	return rows, err
}

// cancelTime bounds how long a coordinator is told that a statement is given up.
const cancelTime = 5 * time.Second

// cancel gives a statement up. That it cannot be reached is no error of its own: it
// abandons statements that nobody asks for.
func (c *Client) cancel(ctx context.Context, next string) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer done()
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, next, nil)
	if err != nil {
		return err
	}
	c.sign(r)
	if answer, err := c.http.Do(r); err == nil {
		_ = answer.Body.Close()
	}
	return nil
}

// at is the URL of a path of the coordinator.
func (c *Client) at(path string) string { return c.base.JoinPath(path).String() }

// follow is where the next page is: at the address that the client has for the
// coordinator, which may have another one for itself.
func (c *Client) follow(next string) string {
	u, err := url.Parse(next)
	if err != nil {
		return next
	}
	u.Scheme, u.Host = c.base.Scheme, c.base.Host
	return u.String()
}

// sign says who asks. Coordinators that Plimsoll starts take passwords on connections of
// the loopback or of the run's own network, which they must be told are trusted.
func (c *Client) sign(r *http.Request) {
	r.Header.Set("X-Trino-User", c.user)
	r.Header.Set("X-Trino-Source", "plimsoll")
	if c.password != "" {
		r.SetBasicAuth(c.user, c.password)
	}
	if r.URL.Scheme == "http" && c.ours {
		r.Header.Set("X-Forwarded-Proto", "https")
	}
}

// busy is how long to wait where the coordinator asks for patience.
const busy = 100 * time.Millisecond

// ask sends one request, again while the coordinator answers that it is busy.
func (c *Client) ask(ctx context.Context, method, at string, body io.Reader, q Query) (p page, err error) {
	var text []byte
	if body != nil {
		if text, err = io.ReadAll(body); err != nil {
			return p, err
		}
	}
	for {
		err := c.once(ctx, method, at, text, q, &p)
		var status *statusError
		if !errors.As(err, &status) || !status.passing() {
			return p, err
		}
		select {
		case <-ctx.Done():
			return p, errors.Join(err, ctx.Err())
		case <-time.After(busy):
		}
	}
}

func (c *Client) once(ctx context.Context, method, at string, body []byte, q Query, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
	if err != nil {
		return err
	}
	c.sign(r)
	q.headers(r.Header)
	answer, err := c.http.Do(r)
	if err != nil {
		return &lostError{err}
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		return &statusError{answer.StatusCode, strings.TrimSpace(string(said))}
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err == nil && kind == "text/html" {
		return fmt.Errorf("there is a web page at %s, not a coordinator of Trino", c.base)
	}
	d := json.NewDecoder(answer.Body)
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return &lostError{fmt.Errorf("read the answer of the coordinator: %w", err)}
	}
	return nil
}

func (q Query) headers(h http.Header) {
	if q.Catalog != "" {
		h.Set("X-Trino-Catalog", q.Catalog)
	}
	if q.Schema != "" {
		h.Set("X-Trino-Schema", q.Schema)
	}
	for name, value := range q.Session {
		h.Add("X-Trino-Session", name+"="+url.QueryEscape(value))
	}
}
