package untrusted

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"plimsoll/internal/host/owner"
)

// mostLine bounds a password or token, in bytes.
const mostLine = 4 << 10

// Secret reads a file that a user has named, that nobody but its owner may read, and that
// belongs to this user or root: another owner knows the secret and can choose it. It follows
// links, since mounted secrets are links. An empty file is refused.
func Secret(path string) (string, error) {
	return filled(path, func(info fs.FileInfo) error {
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			return fmt.Errorf("others can read %s (mode %o); chmod 600 %s", path, mode, path)
		}
		return owned(path, info)
	})
}

// owned refuses a file of a user who is neither this one nor root.
func owned(path string, info fs.FileInfo) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Trusted(s.Uid) || owner.Alone() {
		return nil
	}
	return fmt.Errorf("%s belongs to uid %d, who can read and change it: take a copy of your own, or chown %d %[1]s", path, s.Uid, os.Geteuid())
}

// Line reads a password from a file like Secret. A file of another kind, such as a private
// key, is refused: the contents of a file named by a study go to a server named by the
// study.
func Line(path string) (string, error) {
	text, err := Secret(path)
	if err != nil {
		return "", err
	}
	return oneLine(path, text)
}

// Token reads a token of one line from a file that others may read, too: platforms mount
// the tokens of a service so. Nobody but this user and root may change it.
func Token(path string) (string, error) {
	text, err := filled(path, func(info fs.FileInfo) error {
		if mode := info.Mode().Perm(); mode&0o022 != 0 {
			return fmt.Errorf("others can change %s (mode %o); chmod go-w %s", path, mode, path)
		}
		return owned(path, info)
	})
	if err != nil {
		return "", err
	}
	return oneLine(path, text)
}

// oneLine is the text of a file without the end of its line. Errors do not quote any of it.
func oneLine(path, text string) (string, error) {
	line := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case line == "":
		return "", fmt.Errorf("%s is empty", path)
	case len(line) > mostLine, !utf8.ValidString(line), strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }):
		return "", fmt.Errorf("%s is not the file of a password: it must be one line of at most %d bytes; nothing of it was sent", path, mostLine)
	}
	return line, nil
}

// Filled reads a file that a user has named and that must not be empty. A pipe or a device
// does not hang it.
func Filled(path string) (string, error) {
	return filled(path, func(fs.FileInfo) error { return nil })
}

// filled reads a file that must not be empty, provided that accept allows it.
func filled(path string, accept func(fs.FileInfo) error) (string, error) {
	f, err := Named(path, MostInput)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = accept(info)
	}
	if err != nil {
		return "", err
	}
	text, err := whole(f, MostInput)
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%s is empty", path)
	}
	return string(text), err
}
