// Package bundle packs what somebody needs who is asked for help with a run: a compressed tar of
// the run's plan, journal and results, with what the caller adds. Only files that are known by
// name are packed, and secrets are taken out of their texts. Paths and the names of hosts are
// replaced where that is asked for, each by the same word everywhere.
package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/regular"
)

// Options says how to pack a run.
type Options struct {
	Dir     string   // of the run
	Name    string   // of the run: the directory in the archive
	Secrets []string // that are known, such as passwords in the environment
	// Rename replaces paths and the names and addresses of hosts; Hosts are names that are
	// known, beside those that the files tell of.
	Rename bool
	Hosts  []string
	// Added are texts that are packed beside the run's files, by name.
	Added map[string][]byte
	Now   time.Time
}

// File is one that was packed.
type File struct {
	Name  string `json:"name"`  // within the archive
	Bytes int    `json:"bytes"` // its size there
}

// LeftOut is what was not packed.
type LeftOut struct {
	Name string `json:"name"` // within the run; a directory ends in a slash
	Why  string `json:"why"`  // the reason in words
}

// Packed is what came of it.
type Packed struct {
	Files   []File    `json:"files"`    // that were packed, sorted
	LeftOut []LeftOut `json:"left_out"` // and what was not
	Secrets int       `json:"secrets"`  // places where a secret was taken out
}

// texts are the files of a run that are packed, by their base names: what was planned and done,
// and its results. Numbers of the telemetry have no secret.
var texts = []string{"study.yaml", "plan.json", "machine.json", "journal.jsonl", "trial.json", "audit.json", "operations.jsonl"}

const (
	telemetry = "telemetry.parquet"
	contents  = "CONTENTS.txt"
	// most is the size up to which a file is packed, in bytes.
	most = 256 << 20
)

// Write packs a run. What cannot be read is left out, with the reason.
func Write(w io.Writer, o Options) (Packed, error) {
	c := newCleaner(o)
	p := packer{o: o, cleaner: c, read: map[string][]byte{}}
	if err := fs.WalkDir(os.DirFS(o.Dir), ".", p.look); err != nil {
		return Packed{}, fmt.Errorf("pack %s: %w", o.Dir, err)
	}
	for name, text := range o.Added {
		p.read[name] = text
	}
	names := sorted(p.read)
	for _, name := range names {
		c.learn(name, p.read[name])
	}
	for _, name := range names {
		if path.Base(name) != telemetry {
			before := checksum(p.read[name])
			p.read[name] = c.clean(name, p.read[name])
			p.vouch(name, before)
		}
	}
	p.packed.Secrets = c.found
	p.read[contents] = p.contents()
	return p.write(w)
}

// vouch gives the result of a trial the checksum of a file beside it that was cleaned, in place of
// that before, so that whoever reads the run does not take it for damaged. trial.json comes
// after the files that it vouches for.
func (p *packer) vouch(name string, before []byte) {
	result := path.Join(path.Dir(name), "trial.json")
	if text, has := p.read[result]; has && result != name {
		p.read[result] = bytes.ReplaceAll(text, before, checksum(p.read[name]))
	}
}

// checksum is that of a text (CRC-32C) as trial.json has it.
func checksum(text []byte) []byte {
	return fmt.Appendf(nil, "\"%08x\"", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// packer collects what is packed.
type packer struct {
	o       Options
	cleaner *cleaner
	read    map[string][]byte
	packed  Packed
}

// look reads a file of the run if it is one that is packed.
func (p *packer) look(name string, d fs.DirEntry, err error) error {
	switch why := p.unwanted(name, d); {
	case err != nil && name == ".":
		return err
	case err != nil:
		p.leave(name, err.Error())
		return nil
	case d.IsDir() && why != "":
		p.leave(name+"/", why)
		return fs.SkipDir
	case d.IsDir():
		return nil
	case why != "":
		p.leave(name, why)
		return nil
	}
	text, err := regular.Read(p.o.Dir, name, most)
	if err != nil {
		p.leave(name, err.Error())
		return nil
	}
	p.read[name] = text
	return nil
}

// unwanted says why a file or directory is left out; empty where it is packed.
func (p *packer) unwanted(name string, d fs.DirEntry) string {
	base := path.Base(name)
	switch {
	case d == nil || name == ".":
		return ""
	case d.IsDir() && base == "evidence":
		return "databases and their passwords"
	case d.IsDir() && base == "logs":
		return "servers write what they like into logs; send those that you have read"
	case d.IsDir() || slices.Contains(texts, base):
		return ""
	case base == telemetry && p.o.Rename:
		return "its names cannot be replaced"
	case base == telemetry:
		return ""
	case base == "report.html":
		return "plimsoll report writes it again"
	}
	return "not a file that runs are known to have"
}

func (p *packer) leave(name, why string) {
	p.packed.LeftOut = append(p.packed.LeftOut, LeftOut{name, why})
}

// contents lists what is packed and what is not.
func (p *packer) contents() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "Run %s, packed %s\n\n", p.top(), p.o.Now.UTC().Format(time.RFC3339))
	for _, name := range sorted(p.read) {
		fmt.Fprintf(&b, "%10d  %s\n", len(p.read[name]), name)
	}
	fmt.Fprintf(&b, "\nSecrets were taken out in %d places (***).\n", p.packed.Secrets)
	if p.o.Rename {
		b.WriteString("Paths and the names and addresses of hosts were replaced.\n")
	}
	b.WriteString("\nLeft out:\n")
	for i, l := range p.packed.LeftOut {
		l.Name, l.Why = string(p.cleaner.line(l.Name)), string(p.cleaner.line(l.Why))
		p.packed.LeftOut[i] = l
		fmt.Fprintf(&b, "  %s: %s\n", l.Name, l.Why)
	}
	return []byte(b.String())
}

// top is the directory in the archive.
func (p *packer) top() string { return string(p.cleaner.line(p.o.Name)) }

func (p *packer) write(w io.Writer) (Packed, error) {
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	for _, name := range sorted(p.read) {
		text := p.read[name]
		name = path.Join(p.top(), string(p.cleaner.line(filepath.ToSlash(name))))
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), ModTime: p.o.Now, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if err := out.WriteHeader(h); err != nil {
			return Packed{}, err
		}
		if _, err := out.Write(text); err != nil {
			return Packed{}, err
		}
		p.packed.Files = append(p.packed.Files, File{name, len(text)})
	}
	return p.packed, errors.Join(out.Close(), zip.Close())
}

func sorted(files map[string][]byte) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
