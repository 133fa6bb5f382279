// Package imaged is the service that moves images between stores: a server with its own
// directory of items (package transfer). It sends an item to a client, receives one,
// fetches one from another such service, or copies one within its store; and accounts for
// the work of each stage. A connection is one request.
package imaged

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"plimsoll/internal/app/builtin/service"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/app/builtin/transfer/content"
	"plimsoll/internal/describe"
)

// Kind is the endpoints' name of the protocol.
const Kind = "images"

// What can be requested.
const (
	ping   = "ping"
	list   = "list"   // the names in the store
	invent = "make"   // an item that is made up
	sum    = "sum"    // digest and sizes of an item
	digest = "digest" // of an item in its stored form
	remove = "remove" // an item
	give   = "give"   // an item, over this connection
	take   = "take"   // an item that comes over this connection
	fetch  = "fetch"  // an item from the service that this one knows
	pull   = "pull"   // an item from the URL that it has at the service that this one knows
	get    = "get"    // an item in its stored form, over this connection, by HTTP
	clone  = "clone"  // an item within the store, in the kernel
	expand = "expand" // an item within the store, through the stages of a transfer
)

// Way is how an item goes from one end to the other.
type Way struct {
	Format   string `json:"format"`             // on the way: packed, gzip, zstd
	Checksum string `json:"checksum,omitempty"` // of what goes over the connection: none, md5, sha256
	TLS      bool   `json:"tls,omitempty"`
	// Holes of raw items are kept: else they are sent as zeros, and written.
	Holes bool `json:"holes,omitempty"`
}

// Request begins a connection.
type Request struct {
	Token string `json:"token"`
	Do    string `json:"do"`
	Name  string `json:"name,omitempty"` // of the item, where the request is made
	From  string `json:"from,omitempty"` // of the one that it is made of
	// Format is the stored format of the item at the service that gets the request, and
	// FromFormat the stored format of its source.
	Format     string        `json:"format,omitempty"`
	FromFormat string        `json:"from_format,omitempty"`
	Way        Way           `json:"way,omitzero"`
	Item       *content.Item `json:"item,omitempty"`   // to make up
	Digest     string        `json:"digest,omitempty"` // that an item must have that is pulled
}

// Answer is that to a request.
type Answer struct {
	Error   string        `json:"error,omitempty"`
	Class   string        `json:"class,omitempty"` // of the error
	Names   []string      `json:"names,omitempty"`
	Sum     *transfer.Sum `json:"sum,omitempty"`
	Digest  string        `json:"digest,omitempty"`
	Account *Account      `json:"account,omitempty"`
}

// Account is what moving an item took.
type Account struct {
	Stages []describe.Stage `json:"stages"` // of both ends, in the order of the way
	// Shared reports whether the item has the blocks of the one that it is made of.
	Shared bool `json:"shared,omitempty"`
	// Moved is how many bytes of the item went over the connection.
	Moved int64 `json:"moved,omitempty"`
}

// trailer follows an item.
type trailer struct {
	Digest string           `json:"digest,omitempty"`
	Stages []describe.Stage `json:"stages"`
}

// Error is what went wrong at a service.
type Error struct{ Class, Text string }

func (e *Error) Error() string { return e.Text }

// ErrorClass is what results count it under.
func (e *Error) ErrorClass() string { return e.Class }

// Classes of errors in addition to the common ones of all workloads.
const (
	Changed     = "source-changed"
	Mismatch    = "digest-mismatch"
	NoSuchItem  = transfer.NoSuchItem
	AlreadyHere = "already-there"
)

// errMismatch is an item that arrived otherwise than it was sent.
var errMismatch = errors.New("the item arrived otherwise than it was sent")

// classOf returns the class of an error of a transfer.
func classOf(err error) string {
	for class, of := range map[string]error{
		Changed: transfer.ErrChanged, Mismatch: errMismatch, NoSuchItem: fs.ErrNotExist, AlreadyHere: fs.ErrExist,
		"connection-lost": io.ErrUnexpectedEOF, "out-of-space": syscall.ENOSPC, "read-only": syscall.EROFS, "input-output": syscall.EIO, "no-file-handles": syscall.EMFILE,
	} {
		if errors.Is(err, of) {
			return class
		}
	}
	var known interface{ ErrorClass() string }
	if errors.As(err, &known) {
		return known.ErrorClass()
	}
	return "other"
}

// largestFrame bounds a request or answer: an answer has a name for each item.
const largestFrame = 1 << 20

// readFrame reads a request or answer, and no byte more.
func readFrame(from io.Reader, value any) error {
	return service.ReadFrame(from, value, largestFrame, "this is no service of images, or no user of one")
}
