// Package directory is the storage class of a plain directory: any mounted path, a memory
// file system (tmpfs), or the scratch directory of the run. It measures the machine's real
// storage and needs no rights beyond writing there.
package directory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/medium"
	"plimsoll/internal/text/words"
)

// The two paths that are words.
const (
	// Memory is the machine's memory file system, /dev/shm.
	Memory = "memory"
	// Disk is the scratch directory of the run.
	Disk = "disk"
)

// Parameters configure the class.
type Parameters struct {
	// Path is where volumes are made: an absolute directory, or Memory or Disk.
	Path string `yaml:"path" json:"path" jsonschema:"description=Where volumes are created: an absolute path of an existing directory or the word memory (tmpfs) or the word disk (below the work directory of the run)"`
	// Width is how many requests each of the devices below serves at once; 0 takes the
	// kernel's figures for a guess.
	Width int `yaml:"width,omitempty" json:"width,omitempty" jsonschema:"minimum=1,maximum=4096,description=How many requests the medium serves at once as measured by plimsoll probe; the default is a guess from what the kernel reports about the device"`
	// Tier names the cache of the kernel that the path must be on.
	Tier string `yaml:"tier,omitempty" json:"tier,omitempty" jsonschema:"enum=dm-cache,enum=bcache,description=The path must lie on this cache of the kernel; elsewhere the study is refused"`
	// Drives is for figures per drive.
	Drives int `yaml:"drives,omitempty" json:"drives,omitempty" jsonschema:"minimum=1,maximum=65536,description=How many drives there are below (of a mounted pool all of them) for throughput per drive; not known when omitted"`
	// Rated is the maker's rate, for shares of it.
	Rated medium.Rate `yaml:"rated,omitempty" json:"rated,omitempty" jsonschema:"type=string,description=What one drive does according to its maker such as 226MB/s; results show which share of it is reached"`
}

// Kind makes classes of plain directories.
type Kind struct{}

var _ storage.Kind = Kind{}

// Capabilities are its classes'.
func (k Kind) Capabilities() storage.KindCapabilities {
	return storage.KindCapabilities{Checker: k, Class: (&class{}).Capabilities()}
}

// VolumeKinds are directories alone.
func (Kind) VolumeKinds(any) []string { return []string{endpoint.Directory} }

// Name is "directory".
func (Kind) Name() string { return "directory" }

// Defaults are the scratch directory of the run.
func (Kind) Defaults() any { return &Parameters{Path: Disk} }

// Validate accepts an absolute path and the words memory and disk.
func (Kind) Validate(parameters any) []describe.Problem {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []describe.Problem{{Text: fmt.Sprintf("the parameters of a directory are %T", parameters)}}
	}
	bad := describe.Bounds(p)
	if p.Path != Memory && p.Path != Disk && !filepath.IsAbs(p.Path) {
		bad.Add("path", "%q is neither an absolute path nor %q nor %q", p.Path, Memory, Disk)
	}
	if strings.ContainsFunc(p.Path, unicode.IsControl) {
		bad.Add("path", "%q has a control character, such as a newline, which neither logs nor configuration files can name; rename the directory", p.Path)
	}
	if p.Tier != "" && p.Path == Memory {
		bad.Add("tier", "memory lies on no device that could be cached")
	}
	return bad
}

// Place is the directory itself, and for one below the run's work directory that.
func (Kind) Place(parameters any) storage.Place {
	p, ok := parameters.(*Parameters)
	if !ok {
		return storage.Place{}
	}
	return storage.Place{Path: p.where(""), InMemory: p.Path == Memory}
}

// Usable checks that the directory exists and can be written to.
func (Kind) Usable(parameters any) error {
	p, ok := parameters.(*Parameters)
	if !ok || p.Path == Disk {
		return nil // Up looks for the tier of the work directory, which is not known yet
	}
	at := p.where("")
	info, err := os.Stat(at)
	if err != nil || !info.IsDir() {
		return fmt.Errorf("directory %s does not exist; create it: mkdir -p %s", at, words.Shell(at))
	}
	if unix.Access(at, unix.W_OK|unix.X_OK) != nil {
		return fmt.Errorf("user %d cannot write to %s; change its owner: chown %d %s", os.Geteuid(), at, os.Geteuid(), at)
	}
	if err := safefile.Prove(at); err != nil {
		return fmt.Errorf("volumes cannot be kept safely in %s: %w", at, err)
	}
	return p.hasTier(at)
}

// hasTier returns an error if a directory is not on the tier that the study asks for.
func (p *Parameters) hasTier(at string) error {
	if p.Tier == "" {
		return nil
	}
	m, err := mounts.Find(at)
	if err != nil {
		return err
	}
	return thisKernel().needsTier(p.Tier, m)
}

// New binds the parameters; nothing is made before Up.
func (k Kind) New(name string, parameters any, env storage.Env) (storage.Class, error) {
	if err := describe.Problems(k.Validate(parameters)).Err(); err != nil {
		return nil, err
	}
	return newClass(name, *parameters.(*Parameters), env), nil
}

// where returns the directory below which the run's own directory is made.
func (p Parameters) where(scratch string) string {
	switch p.Path {
	case Memory:
		return storage.MemoryPath
	case Disk:
		return scratch
	}
	return filepath.Clean(p.Path)
}
