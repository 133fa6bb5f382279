package live

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/host/caught"
	"plimsoll/internal/host/peer"
	"plimsoll/internal/report"
)

// guard lets through what was meant for this server, comes from no page of
// another site, and shows the token where one is asked for.
func (l *Listener) guard(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		if r.Method == http.MethodPost { // nothing that is sent here has a body worth waiting for
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(sendLimit)) // a connection has one
		}
		known := l.token != nil && l.token.inHeader(r)
		switch {
		case !known && !l.hosts(r.Host):
			http.Error(w, "This server does not serve that host.", http.StatusMisdirectedRequest)
		case foreign(r):
			http.Error(w, "Pages of other sites may not read this.", http.StatusForbidden)
		case l.token == nil && l.isAnothers(r):
			http.Error(w, "This page is another user's. Its owner can share it with --token-file.", http.StatusForbidden)
		case l.token == nil || r.URL.Path == "/login":
			answered(next, w, r)
		case known || l.token.inCookie(r, l.cookie()):
			reader(r).Trust()
			answered(next, w, r)
		default:
			askForToken(w, r)
		}
	})
}

// answered has a request answered. What was sent before a panic of ours stays; a page of a run
// that cannot be made is no reason for others not to be.
func answered(by http.Handler, w http.ResponseWriter, r *http.Request) {
	err := func() (err error) {
		defer caught.As("answer "+r.URL.Path, &err)
		by.ServeHTTP(w, r)
		return nil
	}()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// connection is the key of a request's connection.
type connection struct{}

// noteReader notes the connection of requests.
func noteReader(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connection{}, conn)
}

// reader is the connection that a request came over.
func reader(r *http.Request) *peer.Conn {
	return r.Context().Value(connection{}).(*peer.Conn) // the listener's are
}

// isAnothers reports whether another user of the machine makes the request.
func (l *Listener) isAnothers(r *http.Request) bool {
	return !reader(r).Own() && !l.machine[r.URL.Path]
}

// setHeaders keeps answers out of caches, frames and the pages of other sites.
func setHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// foreign reports whether a browser asks for a page of another site, and not because
// its user went here.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return slices.Contains([]string{"cross-site", "same-site"}, site) && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// askForToken answers a browser with a page that takes the token, programs with
// what they are to send.
func askForToken(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="plimsoll"`)
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, "Send the token: Authorization: Bearer TOKEN.", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	_ = report.Shell(w, "Token", map[string]any{"login": true}) // the reader went away
}
