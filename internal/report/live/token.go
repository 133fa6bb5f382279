package live

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/host/untrusted"
)

// token is the secret that readers show. Its file is the only place it is written to.
type token struct {
	text string
	file string
	made bool // the file was made for this token, and ends with it
}

// newToken reads the token in a file, or makes one and the file.
func newToken(file string) (*token, error) {
	if file == "" {
		dir, err := privateDir()
		if err != nil {
			return nil, err
		}
		return makeToken(filepath.Join(dir, fmt.Sprintf("token-%d-%s", os.Getpid(), rand.Text()[:6])))
	}
	_, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return makeToken(file)
	}
	return readToken(file)
}

// privateDir is a directory of this user for what lives no longer than a process.
func privateDir() (string, error) {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("keep the token of the pages: %w; name a file with --token-file", err)
		}
	}
	dir = filepath.Join(dir, "plimsoll")
	if err := safefile.Ensure(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep the token of the pages: %w; name a file with --token-file", err)
	}
	return dir, nil
}

func makeToken(file string) (*token, error) {
	t := &token{text: rand.Text(), file: file, made: true}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep the token of the pages: %w", err)
	}
	_, err = f.WriteString(t.text + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("keep the token of the pages: %w", err), t.remove())
	}
	return t, nil
}

// Bounds of a token that a user chose, in bytes.
const (
	shortestToken = 16
	longestToken  = 1 << 10
)

func readToken(file string) (*token, error) {
	text, err := untrusted.Line(file)
	if err != nil {
		return nil, fmt.Errorf("read the token of the pages: %w", err)
	}
	t := &token{text: strings.TrimSpace(text), file: file}
	switch {
	case len(text) > longestToken:
		return nil, fmt.Errorf("the token in %s has %d bytes, beyond the limit of %d; remove the file to have one made", file, len(text), longestToken)
	case len(t.text) < shortestToken:
		return nil, fmt.Errorf("the token in %s has %d characters, at least %d are needed; remove the file to have one made", file, len(t.text), shortestToken)
	case strings.ContainsFunc(t.text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("the token in %s has characters other than letters, digits and signs; remove the file to have one made", file)
	}
	return t, nil
}

// remove removes a token that was made for one Listener.
func (t *token) remove() error {
	if t == nil || !t.made {
		return nil
	}
	if err := os.Remove(t.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the token of the pages: %w", err)
	}
	return nil
}

// is compares in a time that says nothing about the token.
func (t *token) is(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(t.text)) == 1
}

// inHeader reports whether a request carries the token as programs do.
func (t *token) inHeader(r *http.Request) bool {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && t.is(text)
}

// inCookie reports whether a request comes from a browser that has shown the token.
func (t *token) inCookie(r *http.Request, name string) bool {
	c, err := r.Cookie(name)
	return err == nil && t.is(c.Value)
}

// cookie is the name of the cookie; browsers send cookies to all ports of a host.
func (l *Listener) cookie() string {
	return fmt.Sprintf("plimsoll-%d", l.listener.Addr().(*net.TCPAddr).Port)
}

// login gives a browser that shows the token its cookie.
func (l *Listener) login(w http.ResponseWriter, r *http.Request) {
	if !l.token.inHeader(r) {
		http.Error(w, "This is not the token.", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: l.cookie(), Value: l.token.text, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}
