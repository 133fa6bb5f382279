// Package duckdb asks the servers that the engine of that name makes: one DuckDB each,
// whose tables are Parquet files of a volume.
package duckdb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
)

// Kind is the kind of these servers' endpoints. The endpoint's Password is the key that
// requests carry.
const Kind = "duckdb"

// Lake is the directory, named as statements name it, that has a directory of Parquet files
// for each table.
const Lake = "lake"

// Server is the payload of the kind.
type Server struct {
	// Lake is what has a place for each table, as statements name it: Lake, or one in a bucket.
	Lake string `json:"lake"`
	// Bucket is the name of that bucket; empty where the tables are on the volume. Whoever
	// prepares the instance makes it where the store has it not.
	Bucket string `json:"bucket,omitempty"`
}

// Client asks one server. Several goroutines may use it.
type Client struct {
	url, key string
	http     *http.Client
}

// Open makes a client of a server; it does not connect yet.
func Open(e endpoint.Endpoint) (*Client, error) {
	if e.Kind != Kind {
		return nil, fmt.Errorf("open DuckDB: the endpoint of role %s is of kind %q, not %s", e.Role, e.Kind, Kind)
	}
	// No proxy of the machine stands between.
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, e.Network, e.Address)
	}
	return &Client{"http://" + Kind + "/", e.Password, &http.Client{Transport: &http.Transport{DialContext: dial}}}, nil
}

// Close ends its connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Answer is what a statement gave.
type Answer struct {
	Columns []string    `json:"columns"` // names
	Types   []string    `json:"types"`   // DuckDB's names of the columns' types: DECIMAL(7,2)
	Rows    [][]*string `json:"-"`       // as texts; nil is null
	Effort  *Effort     `json:"-"`       // nil if the server ran other statements at the same time
}

// Effort is what the server took for a statement.
type Effort struct {
	CPU  float64 `json:"cpu"`  // s
	Read int64   `json:"read"` // bytes of files, whether or not the kernel had them; 0 where tables lie in a bucket
}

// Error is why the server refused a statement, or did not end it.
type Error struct {
	Message string
	Kind    string // timeout, interrupted, or the name of DuckDB's exception
}

func (e *Error) Error() string { return "DuckDB: " + e.Message }

var classes = map[string]string{
	"timeout": errorclass.Timeout, "OutOfMemoryException": errorclass.OutOfMemory,
	"IOException": errorclass.InputOutput, "PermissionException": errorclass.Refused,
}

// ErrorClass is what results count it under.
func (e *Error) ErrorClass() string {
	class, ok := classes[e.Kind]
	switch {
	case strings.Contains(e.Message, "No space left"), strings.Contains(e.Message, "'max_temp_directory_size'"): // the free space, unless it was set
		return errorclass.OutOfSpace
	case ok:
		return class
	}
	return errorclass.Other + ":" + e.Kind
}

// lostError is the error of a connection that ended before its answer.
type lostError struct{ error }

func (l lostError) Unwrap() error    { return l.error }
func (lostError) ErrorClass() string { return errorclass.ConnectionLost }

// Query runs a statement, which the server ends when it takes longer than a limit; 0 is
// none.
func (c *Client) Query(ctx context.Context, sql string, limit time.Duration) (Answer, error) {
	body, err := json.Marshal(struct {
		SQL     string  `json:"sql"`
		Seconds float64 `json:"seconds"`
	}{sql, limit.Seconds()})
	if err != nil {
		return Answer{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := c.http.Do(request)
	if err != nil {
		return Answer{}, ofConnection(err)
	}
	defer response.Body.Close() // which was only read
	if response.StatusCode != http.StatusOK {
		return Answer{}, &Error{"the server answered " + response.Status, "PermissionException"}
	}
	a, err := read(response.Body)
	return a, ofConnection(err)
}

// Exec runs statements whose answers nobody reads, in order.
func (c *Client) Exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := c.Query(ctx, sql, 0); err != nil {
			return err
		}
	}
	return nil
}

func ofConnection(err error) error {
	_, isNetwork := errors.AsType[net.Error](err)
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case isNetwork, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return lostError{err}
	}
	return err
}

// read takes the lines of an answer.
func read(from io.Reader) (a Answer, err error) {
	in := bufio.NewReader(from)
	for first := true; ; first = false {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return a, fmt.Errorf("the answer has no end: %w", io.ErrUnexpectedEOF)
		}
		if err != nil {
			return a, err
		}
		if line[0] == '[' {
			var row []*string
			if err := json.Unmarshal(line, &row); err != nil {
				return a, fmt.Errorf("read a row: %w", err)
			}
			a.Rows = append(a.Rows, row)
			continue
		}
		var said struct {
			Answer
			Rows   *int    `json:"rows"`
			Effort *Effort `json:"effort"`
			Error  string  `json:"error"`
			Kind   string  `json:"kind"`
		}
		if err := json.Unmarshal(line, &said); err != nil {
			return a, fmt.Errorf("read an answer: %w", err)
		}
		switch {
		case said.Error != "":
			return a, &Error{said.Error, said.Kind}
		case first:
			a.Columns, a.Types = said.Columns, said.Types
		case said.Rows == nil || *said.Rows != len(a.Rows):
			return a, fmt.Errorf("%d rows came of an answer that ends with %s: %w", len(a.Rows), bytes.TrimSpace(line), io.ErrUnexpectedEOF)
		default:
			a.Effort = said.Effort
			return a, nil
		}
	}
}

// Quote writes a text as SQL has it.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
