package fetch

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"plimsoll/internal/host/safefile"
)

// Archive is a zip file that a client of the user's gets, whose content is known beforehand.
type Archive struct {
	// Get leaves the file in an empty directory and gives its path, as Maven and Wheel do.
	Get    func(ctx context.Context, into string) (string, error)
	Digest string // its SHA-256, in hexadecimal
	Prefix string // files below it are unpacked
	// Executable reports whether a file, named without the prefix, is a program; nil is for
	// none.
	Executable func(name string) bool
}

// Unpack gets the archive, compares it with its digest and unpacks it into a directory.
func (a Archive) Unpack(ctx context.Context, into string) error {
	scratch := filepath.Join(into, "download")
	if err := safefile.Make(scratch, 0o755); err != nil {
		return err
	}
	file, err := a.Get(ctx, scratch)
	if err != nil {
		return err
	}
	if err := Verify(file, a.Digest); err != nil {
		return err
	}
	return errors.Join(Unzip(file, a.Prefix, into, a.Executable), os.RemoveAll(scratch))
}
