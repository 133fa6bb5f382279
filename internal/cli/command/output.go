package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"plimsoll/internal/host/mounts"
)

// byName maps file extensions to formats. Plimsoll writes only a few of these formats.
var byName = map[string]string{
	".html": "html", ".htm": "html", ".xhtml": "html", ".md": "markdown", ".markdown": "markdown", ".csv": "csv", ".json": "json",
	".txt": "text", ".text": "text", ".yaml": "yaml", ".yml": "yaml", ".tar": "tar",
	".pdf": "pdf", ".xlsx": "xlsx", ".xls": "xls", ".ods": "ods", ".docx": "docx", ".odt": "odt", ".tex": "tex", ".rst": "rst", ".xml": "junit", ".tsv": "tsv",
	".jsonl": "jsonl", ".ndjson": "ndjson", ".png": "png", ".svg": "svg", ".jpg": "jpeg", ".jpeg": "jpeg",
	".parquet": "parquet", ".gz": "gzip", ".tgz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2", ".zip": "zip",
}

// NamedFormat is the format that the name of a file says; empty where it says none.
func NamedFormat(file string) string { return byName[strings.ToLower(filepath.Ext(file))] }

// FitsName refuses to write a format into a file with another format's extension: whoever opens
// it would not get what they expect.
func FitsName(file, format string) error {
	named := NamedFormat(file)
	if named == "" || named == format || named == "text" && format == "yaml" {
		return nil
	}
	return WithCode(fmt.Errorf("%s would hold %s, but its name says %s", file, format, named), ExitUsage, "choose a name that ends otherwise, or the format that it says")
}

// ToFile writes an output to the file that the user named. A regular file is replaced whole or
// not at all, and keeps its mode and owner. Links are followed. A device, pipe or socket is
// written to in place.
func ToFile(path string, write func(io.Writer) error) error {
	var text bytes.Buffer
	err := write(&text)
	if err == nil {
		err = writeOutput(path, text.Bytes())
	}
	var named *fs.PathError
	if errors.As(err, &named) && named.Path == path {
		err = named.Err // the message has the path already
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, mounts.NameFull(err, path))
	}
	return nil
}

func writeOutput(path string, text []byte) error {
	_, before := os.Lstat(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		_, err := f.Write(text)
		return err
	}
	err = replaceOutput(f, path, info, text)
	if err != nil && errors.Is(before, fs.ErrNotExist) {
		err = errors.Join(err, os.Remove(f.Name())) // it was made by this attempt
	}
	return err
}

// replaceOutput puts a new file in the place of an old one. Where that is not
// permitted, the old one is written to as it is.
func replaceOutput(old *os.File, path string, info fs.FileInfo, text []byte) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return overwrite(old, text) // /dev/stdout of a file that was removed
	}
	err = replaceFile(real, info, text)
	if errors.Is(err, fs.ErrPermission) {
		return overwrite(old, text)
	}
	return err
}

func replaceFile(path string, like fs.FileInfo, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".plimsoll-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, sameOwner(f, like), f.Chmod(like.Mode().Perm()), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// sameOwner gives a file to the owner of the one that it replaces.
func sameOwner(f *os.File, like fs.FileInfo) error {
	owner, ok := like.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() && int(owner.Gid) == os.Getegid() {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}

func overwrite(f *os.File, text []byte) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.Write(text)
	return err
}
