package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/host/peer"
)

// Loopback is the name of the address that nobody else reaches, which a Listener
// takes without another: a free port of 127.0.0.1.
const Loopback = "local"

// Options say where to listen and what to ask for.
type Options struct {
	// Addr is Loopback, host:port, or a port of 127.0.0.1. Port 0 is a free one.
	Addr string
	// TokenFile holds the token, or is made with a new one. Empty makes a file of
	// its own where a token is needed: on every address that is not loopback. With
	// a TokenFile the token is asked for on loopback too.
	TokenFile string
}

// mostConnections is how many clients a Listener serves at once. Others wait in the
// system's queue, without a descriptor here, so that the process' remaining descriptors are
// free for the servers and drivers of a run.
//
// Clients are the listening user and, where a token is required, connections that have
// shown it. All others are strangers. They get mostStrangers connections in addition, and a
// new stranger replaces the oldest one.
const (
	mostConnections = 64
	mostStrangers   = 32
)

// Listener serves pages over HTTP until it is closed.
type Listener struct {
	listener net.Listener
	server   *http.Server
	mux      *http.ServeMux
	token    *token // nil where the user who listens may read without one
	name     string // the host that Options.Addr names
	loopback bool
	machine  map[string]bool // paths that other users of the machine may read
}

// Listen binds the address. Handle adds handlers, Start serves them.
func Listen(o Options) (*Listener, error) {
	addr, err := address(o.Addr)
	if err != nil {
		return nil, err
	}
	bound, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve pages on %s: %w", addr, err)
	}
	host, _, _ := net.SplitHostPort(addr) // address saw to it
	l := &Listener{mux: http.NewServeMux(), name: host, machine: map[string]bool{}}
	l.loopback = bound.Addr().(*net.TCPAddr).IP.IsLoopback() // of "tcp" always
	l.listener = peer.NewGuard(bound, func(conn net.Conn) bool { return l.loopback && peer.OfThisUser(conn) }, mostConnections, mostStrangers)
	if !l.loopback || o.TokenFile != "" {
		if l.token, err = newToken(o.TokenFile); err != nil {
			return nil, errors.Join(err, bound.Close())
		}
		l.mux.HandleFunc("POST /login", l.login)
	}
	l.server = &http.Server{
		Handler:           l.guard(l.mux),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       noteReader,
		ErrorLog:          log.New(io.Discard, "", 0), // what clients do wrong is no news here
	}
	return l, nil
}

// address completes what a user wrote.
func address(addr string) (string, error) {
	if addr == "" || addr == Loopback {
		return "127.0.0.1:0", nil
	}
	if port, err := strconv.ParseUint(addr, 10, 16); err == nil {
		return net.JoinHostPort("127.0.0.1", strconv.FormatUint(port, 10)), nil
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return "", fmt.Errorf("serve pages on %q: it is not an address; write HOST:PORT, such as 127.0.0.1:8080, or :8080 for all interfaces", addr)
	}
	return addr, nil
}

// Handle adds what answers requests of a pattern of http.ServeMux. Requests from
// elsewhere and those without the token do not reach it.
func (l *Listener) Handle(pattern string, h http.Handler) { l.mux.Handle(pattern, h) }

// HandleForMachine adds a handler for a path. On a loopback address it also answers other
// users of the machine, because collectors of metrics have a user of their own.
func (l *Listener) HandleForMachine(path string, h http.Handler) {
	l.machine[path] = true
	l.mux.Handle("GET "+path, h)
}

// Start serves until Close.
func (l *Listener) Start() {
	go func() { _ = l.server.Serve(l.listener) }() // until Close
}

// URL is the address for a browser. For the wildcard address, it has the name of the
// machine.
func (l *Listener) URL() string {
	bound := l.listener.Addr().(*net.TCPAddr)
	host := bound.IP.String()
	if bound.IP.IsUnspecified() {
		host = l.name
		if name, err := os.Hostname(); err == nil && (host == "" || net.ParseIP(host) != nil) {
			host = name
		}
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(bound.Port)) + "/"
}

// TokenFile is the file that has the token, empty where none is asked for.
func (l *Listener) TokenFile() string {
	if l.token == nil {
		return ""
	}
	return l.token.file
}

// OnClose has something done before Close waits for requests: those that do not
// end by themselves have to be ended by it.
func (l *Listener) OnClose(do func()) { l.server.RegisterOnShutdown(do) }

// Close stops serving, waits for answers under way until the context ends, and
// removes a token that was made for this Listener.
func (l *Listener) Close(ctx context.Context) error {
	err := l.server.Shutdown(ctx)
	if err != nil {
		err = l.server.Close()
	}
	if failed := l.listener.Close(); failed != nil && !errors.Is(failed, net.ErrClosed) { // it never started
		err = errors.Join(err, failed)
	}
	return errors.Join(err, l.token.remove())
}

// hosts reports whether a request was meant for this server. A page of another site
// whose name was made to point here (DNS rebinding) names itself; an IP address
// cannot be made to point anywhere.
func (l *Listener) hosts(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip := net.ParseIP(host); ip != nil {
		return !l.loopback || ip.IsLoopback()
	}
	if host == "localhost" || host != "" && host == strings.ToLower(l.name) {
		return true
	}
	name, err := os.Hostname()
	return err == nil && !l.loopback && host == strings.ToLower(name)
}
