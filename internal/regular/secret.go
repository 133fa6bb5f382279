package regular

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// Bounds of files with secrets, in bytes.
const (
	mostSecret = 64 << 10 // a key with its certificates
	mostLine   = 4 << 10  // a password or token
)

// Secret reads a file that a user has named and that nobody but its owner may read. It
// follows links, as those of mounted secrets are; an empty file is refused.
func Secret(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return "", fmt.Errorf("others can read %s (mode %o); chmod 600 %s", path, mode, path)
	}
	return Filled(path)
}

// Line reads a password from a file like Secret. A file of another kind, such as a private
// key, is refused: what a study names is sent to a server that it names.
func Line(path string) (string, error) {
	text, err := Secret(path)
	if err != nil {
		return "", err
	}
	return oneLine(path, text)
}

// Token reads a token of one line from a file that others may read, too: platforms mount
// those of a service so.
func Token(path string) (string, error) {
	text, err := Filled(path)
	if err != nil {
		return "", err
	}
	return oneLine(path, text)
}

// oneLine is the text of a file without the end of its line. What is wrong with it is
// said without any of it.
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
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = check(info, mostSecret)
	}
	if err != nil {
		return "", fmt.Errorf("%s %w", path, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, mostSecret))
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%s is empty", path)
	}
	return string(text), err
}
