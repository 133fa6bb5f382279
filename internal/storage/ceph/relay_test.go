package ceph

import (
	"net"
	"os"
	"slices"
	"testing"

	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// users is storage.Env.HasUser for some users of a run's servers; none are unknown.
func users(all []int) func(int) bool {
	if all == nil {
		return nil
	}
	return func(uid int) bool { return slices.Contains(all, uid) }
}

// The way to a gateway is for this process's user and for the users of the run's servers, who
// may have its buckets, and for nobody else on the machine.
func TestTheWayToAGatewayIsTheRunsOwn(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	theirs := 0
	connect := func() error {
		theirs = os.Geteuid()
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			t.Cleanup(func() { c.Close() })
		}
		return err
	}
	accepted := func() net.Conn {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	if err := connect(); err != nil {
		t.Fatal(err)
	}
	mine := accepted()
	if err := localtest.AsOther(t, connect); err != nil {
		t.Fatal(err)
	}
	others := accepted()
	for _, c := range []struct {
		of   []int
		what string
		conn net.Conn
		may  bool
	}{
		{nil, "this process's user", mine, true}, {[]int{theirs}, "this process's user", mine, true},
		{nil, "another user", others, false}, {[]int{theirs + 1}, "another user", others, false},
		{[]int{theirs + 1, theirs}, "a server's user", others, true},
	} {
		p := &Pool{clients: &clients{env: storage.Env{HasUser: users(c.of)}}}
		if got := p.mayUse(c.conn); got != c.may {
			t.Errorf("%s may use the way to a gateway of a run with the users %v: %t", c.what, c.of, got)
		}
	}
}
