// Package service has what servers that are this program have in common: where they listen, and
// the frames of JSON in which they are asked and answer.
package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"plimsoll/internal/host/peer"
	"plimsoll/internal/host/simnet/link"
)

// Place is where a server listens.
type Place struct {
	// Listen is host:port. A server with a link of its own has none.
	Listen string
	// Socket is the path of a unix socket that hands out connections over the link.
	Socket string
	Link   link.Link
	// Most is the number of trusted connections served at once: connections of this
	// process's user, of root or of anyone who has authenticated (peer.Conn.Trust).
	// Strangers have as many more at most, and take none of these.
	Most int
}

// Serve serves connections until ctx ends, and waits for the ones in progress. It calls
// ready with the server's address.
func (p Place) Serve(ctx context.Context, serve func(context.Context, *peer.Conn), ready func(address string)) error {
	l, err := p.open()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all.Go(func() {
		<-ctx.Done()
		l.close()
	})
	failed := make(chan error, 2)
	if l.control != nil {
		all.Go(func() {
			failed <- accept(ctx, l.control, &all, func(conn *peer.Conn) { l.made.HandOut(conn.Conn.(*net.UnixConn)) })
		})
	}
	all.Go(func() { failed <- accept(ctx, l.users, &all, func(conn *peer.Conn) { serve(ctx, conn) }) })
	ready(l.users.Addr().String())
	return <-failed
}

// listeners are a server's listeners.
type listeners struct {
	users   *peer.Guard
	control *peer.Guard // nil without a link of its own
	made    *link.LiveLink
}

func (l *listeners) close() {
	_ = l.users.Close()
	if l.control != nil {
		_ = l.control.Close()
		l.made.Close()
	}
}

func (p Place) open() (*listeners, error) {
	if p.Link.Path == link.Direct {
		users, err := net.Listen("tcp", p.Listen)
		if err != nil {
			return nil, err
		}
		return &listeners{users: p.guard(users)}, nil
	}
	made, err := p.Link.Make()
	if err != nil {
		return nil, fmt.Errorf("make a link: %w", err)
	}
	users, err := made.Listen()
	if err != nil {
		return nil, fmt.Errorf("listen on the link: %w", err)
	}
	control, err := net.Listen("unix", p.Socket)
	if err != nil {
		return nil, errors.Join(err, users.Close())
	}
	// Servers of a run have users of their own; those that use this one get to its socket by
	// its group.
	if err := os.Chmod(p.Socket, 0o660); err != nil {
		return nil, errors.Join(err, control.Close(), users.Close())
	}
	return &listeners{users: p.guard(users), control: p.guard(control), made: made}, nil
}

func (p Place) guard(on net.Listener) *peer.Guard {
	return peer.NewGuard(on, peer.OfThisUser, p.Most, p.Most)
}

// accept serves connections until the listener is closed.
func accept(ctx context.Context, l *peer.Guard, all *sync.WaitGroup, serve func(*peer.Conn)) error {
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		all.Go(func() {
			defer conn.Close()
			serve(conn.(*peer.Conn))
		})
	}
}
