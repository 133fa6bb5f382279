package fetch

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/internal/host/safefile"
)

// Unzip unpacks the files below prefix in an archive into a directory. Archives made
// elsewhere often carry no modes: executable reports whether a file (named without the
// prefix) is a program; nil is for none.
func Unzip(archive, prefix, into string, executable func(name string) bool) error {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	defer r.Close()
	root, err := os.OpenRoot(into)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	defer root.Close()
	found, limit := false, newLimit()
	for _, f := range r.File {
		name, ok := strings.CutPrefix(f.Name, prefix)
		if !ok || strings.HasSuffix(name, "/") || name == "" {
			continue
		}
		if !filepath.IsLocal(name) {
			return fmt.Errorf("unpack %s: %q would lie outside the directory", archive, f.Name)
		}
		found = true
		if err := unzipFile(root, f, filepath.FromSlash(name), modeOf(name, executable), limit); err != nil {
			return fmt.Errorf("unpack %s: %w", archive, err)
		}
	}
	if !found {
		return fmt.Errorf("unpack %s: nothing lies below %s in it", archive, prefix)
	}
	return nil
}

func modeOf(name string, executable func(string) bool) os.FileMode {
	if executable != nil && executable(name) {
		return 0o755
	}
	return 0o644
}

func unzipFile(root *os.Root, f *zip.File, name string, mode os.FileMode, limit *limit) error {
	if err := safefile.MakeAll(root, filepath.Dir(name), 0o755); err != nil {
		return err
	}
	from, err := f.Open()
	if err != nil {
		return err
	}
	return errors.Join(writeNew(root, name, mode, from, limit), from.Close())
}

// writeNew writes a file of an archive, with a mode whatever the umask is.
func writeNew(root *os.Root, name string, mode os.FileMode, from io.Reader, limit *limit) error {
	to, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(limit.copy(to, from), to.Chmod(mode), to.Close())
}

// limit bounds the unpacked size of an archive: one that was made to fill a disk does not
// announce its size.
type limit struct {
	entries int
	bytes   int64
}

// newLimit is above what any engine has.
func newLimit() *limit { return &limit{entries: 1 << 18, bytes: 16 << 30} }

func (l *limit) copy(to io.Writer, from io.Reader) error {
	if err := l.entry(); err != nil {
		return err
	}
	n, err := io.Copy(to, io.LimitReader(from, l.bytes+1))
	if l.bytes -= n; l.bytes < 0 {
		return errors.New("the archive unpacks to more than any engine has; it was made by somebody else or is damaged")
	}
	return err
}

func (l *limit) entry() error {
	if l.entries--; l.entries < 0 {
		return errors.New("the archive has more entries than any engine; it was made by somebody else or is damaged")
	}
	return nil
}
