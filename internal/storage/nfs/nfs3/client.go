// Package nfs3 is a client of the Network File System, version 3 (RFC 1813),
// with the Mount protocol that hands out the first file handle. It takes
// addresses and gives typed results; errors of the server are syscall.Errno.
// Calls may be made from any number of goroutines. It knows nothing of locks
// (NLM), for file systems that only one client mounts.
package nfs3

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"syscall"
	"time"
)

// Programs and procedures (RFC 1813, section 3 and appendix I).
const (
	nfsProgram, mountProgram = 100003, 100005
	version                  = 3

	procMount = 1

	procGetattr  = 1
	procSetattr  = 2
	procLookup   = 3
	procReadlink = 5
	procRead     = 6
	procWrite    = 7
	procCreate   = 8
	procMkdir    = 9
	procSymlink  = 10
	procRemove   = 12
	procRmdir    = 13
	procRename   = 14
	procLink     = 15
	procReaddir  = 16
	procFsstat   = 18
	procFsinfo   = 19
	procCommit   = 21
)

// Handle names a file on the server, as long as it exists.
type Handle string

// Client is one mounted export.
type Client struct {
	rpc  rpcClient
	Root Handle
	Info Info
}

// Info has the server's preferred sizes, in bytes (FSINFO).
type Info struct{ MaxRead, MaxWrite uint32 }

// Config is the export to mount.
type Config struct {
	Address      string // host:port of the NFS service
	MountAddress string // host:port of the Mount service
	Export       string // path
	// Patience is how long a call is tried before it fails; 0 is a minute.
	Patience time.Duration
}

// Mount asks the server for the export.
func Mount(ctx context.Context, config Config) (*Client, error) {
	if config.Patience <= 0 {
		config.Patience = time.Minute
	}
	mounting := newRPC(config.MountAddress, mountProgram, config.Patience)
	defer mounting.close()
	root, err := mountRoot(ctx, &mounting, config.Export)
	if err != nil {
		return nil, fmt.Errorf("mount %s of %s: %w", config.Export, config.MountAddress, err)
	}
	c := &Client{rpc: newRPC(config.Address, nfsProgram, config.Patience), Root: root}
	if c.Info, err = c.fsinfo(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("ask %s about the export: %w", config.Address, err)
	}
	return c, nil
}

// Close ends the connection.
func (c *Client) Close() { c.rpc.close() }

func newRPC(address string, program uint32, patience time.Duration) rpcClient {
	var first [4]byte
	_, _ = rand.Read(first[:]) // never fails (crypto/rand)
	return rpcClient{address: address, program: program, version: version, patience: patience,
		machine: "plimsoll", xid: binary.BigEndian.Uint32(first[:])}
}

func mountRoot(ctx context.Context, c *rpcClient, export string) (Handle, error) {
	var e encoder
	e.string(export)
	results, _, err := c.call(ctx, procMount, e.b)
	if err != nil {
		return "", err
	}
	d := decoder{b: results}
	if status := d.uint32(); status != 0 {
		return "", syscall.Errno(status) // the numbers are the same as in Unix
	}
	root := Handle(d.opaque())
	return root, d.err
}

// do makes a call and looks at its status; d is at what follows.
func (c *Client) do(ctx context.Context, procedure uint32, e *encoder) (d *decoder, repeated bool, err error) {
	results, repeated, err := c.rpc.call(ctx, procedure, e.b)
	if err != nil {
		return &decoder{}, repeated, err
	}
	d = &decoder{b: results}
	if status := d.uint32(); status != 0 {
		return d, repeated, errno(status)
	}
	return d, repeated, d.err
}

// errno turns a status into the system's error (RFC 1813, section 2.6). Up to 70 the
// numbers are the same as in Unix.
func errno(status uint32) syscall.Errno {
	switch status {
	case 63:
		return syscall.ENAMETOOLONG
	case 66:
		return syscall.ENOTEMPTY
	case 69:
		return syscall.EDQUOT
	case 70, 10001: // STALE, BADHANDLE
		return syscall.ESTALE
	case 10004: // NOTSUPP
		return syscall.EOPNOTSUPP
	case 10008: // JUKEBOX: later
		return syscall.EAGAIN
	}
	if status < 70 {
		return syscall.Errno(status)
	}
	return syscall.EIO
}

func (e *encoder) handle(h Handle) { e.opaque([]byte(h)) }

// where is a name in a directory.
func (e *encoder) where(dir Handle, name string) {
	e.handle(dir)
	e.string(name)
}

func (c *Client) fsinfo(ctx context.Context) (Info, error) {
	var e encoder
	e.handle(c.Root)
	d, _, err := c.do(ctx, procFsinfo, &e)
	if err != nil {
		return Info{}, err
	}
	d.postAttributes()
	info := Info{MaxRead: d.uint32()}
	d.uint32() // preferred
	d.uint32() // multiple
	info.MaxWrite = d.uint32()
	// A record must fit, and be answered in good time.
	info.MaxRead, info.MaxWrite = min(info.MaxRead, 1<<20), min(info.MaxWrite, 1<<20)
	if d.err == nil && (info.MaxRead == 0 || info.MaxWrite == 0) {
		return info, fmt.Errorf("the server reads %d and writes %d bytes at once", info.MaxRead, info.MaxWrite)
	}
	return info, d.err
}
