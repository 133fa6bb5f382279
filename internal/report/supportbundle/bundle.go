// Package supportbundle packs a run for somebody who is asked for help with it: a
// compressed tar of the run's plan, journal and results, with the caller's additions.
//
// Only data known to be harmless is packed: known files, the fields of their types, and of
// these the numbers, booleans, times and words of ours. Every other name and text is
// replaced by a pseudonym, the same one everywhere (see known). Texts of the user and of
// servers are packed only on request. Anything that looks like a secret is then removed
// from them (see cleaner) and, on request, paths and the names of hosts are replaced.
package supportbundle

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/host/untrusted"
)

// Options says how to pack a run.
type Options struct {
	Dir     string   // of the run
	Name    string   // of the run: the directory in the archive, where texts are packed
	Shapes  Shapes   // of the files that are packed, and of those that are added
	Words   []string // of ours: names of kinds, metrics and parameters, values of enumerations
	Secrets []string // that are known, such as passwords in the environment
	// Histogram writes an encoded histogram anew; false is that it is none.
	Histogram func(text string) (string, bool)
	// Texts packs the files as they are, but for secrets, with the study, telemetry and logs.
	Texts bool
	// Rename replaces paths and the names and addresses of hosts in texts. Hosts are known
	// names, in addition to those found in the files.
	Rename bool
	Hosts  []string
	// Added are texts to pack with the run's files, by name, and cleaned like them. Ours
	// are texts without anybody else's data.
	Added, Ours map[string][]byte
	Now         time.Time
}

// File is one that was packed.
type File struct {
	Name  string `json:"name"`  // within the archive
	Bytes int    `json:"bytes"` // its size there
}

// Omission is what was not packed.
type Omission struct {
	Name string `json:"name"` // within the run; a directory ends in a slash
	Why  string `json:"why"`  // the reason in words
}

// Summary is what came of it.
type Summary struct {
	Files    []File     `json:"files"`    // that were packed, sorted
	LeftOut  []Omission `json:"left_out"` // and what was not
	Secrets  int        `json:"secrets"`  // places where a secret was taken out of a text
	Replaced int        `json:"replaced"` // places where a name, a text or a number was replaced
}

// texts are further files of a run, by their base names, that are packed where texts are.
var texts = []string{"study.yaml", telemetry}

const (
	telemetry = "telemetry.parquet"
	trial     = "trial.json"
	contents  = "CONTENTS.txt"
)

// Write packs a run. What cannot be read is left out, with the reason.
func Write(w io.Writer, o Options) (Summary, error) {
	p := packer{o: o, cleaner: newCleaner(o), known: newKnown(o), read: map[string][]byte{}}
	if err := fs.WalkDir(untrusted.Tree(o.Dir), ".", p.look); err != nil {
		return Summary{}, fmt.Errorf("pack %s: %w", o.Dir, err)
	}
	for name, text := range o.Added {
		if o.Texts || o.Shapes[name] != nil {
			p.read[name] = text
		}
	}
	clean := p.known.clean
	if o.Texts {
		clean = p.cleaner.texts
	}
	p.read = clean(o.Shapes, p.read, p.leave)
	for name, text := range o.Ours {
		p.read[name] = text
	}
	p.vouch()
	p.packed.Secrets, p.packed.Replaced = p.cleaner.found, p.known.replaced
	p.read[contents] = p.contents()
	return p.write(w)
}

// vouch gives the results of trials the checksums of the files in their directories as they are
// now, so that whoever reads the run does not take what was cleaned for damaged.
func (p *packer) vouch() {
	for name, text := range p.read {
		if path.Base(name) != trial {
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(text, &fields) != nil || fields["checksums"] == nil {
			continue
		}
		sums := map[string]string{}
		for beside, text := range p.read {
			if path.Dir(beside) == path.Dir(name) && beside != name {
				sums[path.Base(beside)] = checksum(text)
			}
		}
		fields["checksums"], _ = json.Marshal(sums)
		if text, err := json.MarshalIndent(fields, "", "  "); err == nil {
			p.read[name] = append(text, '\n')
		}
	}
}

// checksum is the checksum of a text (CRC-32C), in trial.json's format.
func checksum(text []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// packer collects the files to pack.
type packer struct {
	o       Options
	cleaner *cleaner
	known   *pseudonymiser
	read    map[string][]byte
	packed  Summary
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
	text, err := untrusted.Read(p.o.Dir, name, untrusted.MostDocument)
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
	case d.IsDir() && base == "logs" && !p.o.Texts, slices.Contains(texts, base) && !p.o.Texts:
		return "it may say anything: --with-logs packs it"
	case d.IsDir() || p.o.Shapes[base] != nil || path.Base(path.Dir(name)) == "logs":
		return ""
	case base == telemetry && p.o.Rename:
		return "its names cannot be replaced"
	case slices.Contains(texts, base):
		return ""
	case base == "report.html":
		return "plimsoll report writes it again"
	}
	return "not a file that runs are known to have"
}

func (p *packer) leave(name, why string) {
	p.packed.LeftOut = append(p.packed.LeftOut, Omission{name, why})
}

// contents lists the packed files and the ones left out.
func (p *packer) contents() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "Run %s, packed %s\n\n", p.top(), p.o.Now.UTC().Format(time.RFC3339))
	for _, name := range sorted(p.read) {
		fmt.Fprintf(&b, "%10d  %s\n", len(p.read[name]), name)
	}
	switch {
	case !p.o.Texts:
		fmt.Fprintf(&b, "\nNames and texts were replaced in %d places (name-1, text-1).\n", p.packed.Replaced)
	case p.o.Rename:
		b.WriteString("\nPaths and the names and addresses of hosts were replaced.\n")
	}
	if p.o.Texts {
		fmt.Fprintf(&b, "\nSecrets were taken out in %d places (***).\n", p.packed.Secrets)
	}
	b.WriteString("\nLeft out:\n")
	for i, l := range p.packed.LeftOut {
		if p.o.Texts {
			l.Name, l.Why = p.cleaner.line(l.Name), p.cleaner.line(l.Why)
			p.packed.LeftOut[i] = l
			fmt.Fprintf(&b, "  %s: %s\n", l.Name, l.Why)
		} else {
			fmt.Fprintf(&b, "  %s\n", p.known.path(l.Name)) // the reason may name anything
		}
	}
	return []byte(b.String())
}

// top is the directory in the archive.
func (p *packer) top() string {
	if !p.o.Texts {
		return "run-1"
	}
	return p.cleaner.line(p.o.Name)
}

// packedName is what a file is called in the archive.
func (p *packer) packedName(name string) string {
	if p.o.Texts {
		name = p.cleaner.line(filepath.ToSlash(name))
	}
	return path.Join(p.top(), name)
}

func (p *packer) write(w io.Writer) (Summary, error) {
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	for _, name := range sorted(p.read) {
		text := p.read[name]
		name = p.packedName(name)
		h := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(text)), ModTime: p.o.Now, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if err := out.WriteHeader(h); err != nil {
			return Summary{}, err
		}
		if _, err := out.Write(text); err != nil {
			return Summary{}, err
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
