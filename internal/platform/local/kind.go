package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/platform/telemetry/prometheus"
	"plimsoll/internal/storage"
)

// Kind makes local platforms.
type Kind struct {
	prometheus *prometheus.Parameters
	described  *platform.Description
}

var _ platform.Kind = Kind{}

// Capabilities are its platforms'.
func (k Kind) Capabilities() platform.KindCapabilities {
	return platform.KindCapabilities{Checker: k, Platform: (&Local{}).Capabilities()}
}

// Offline is a machine that the study describes, or an unknown one.
func (k Kind) Offline() platform.Kind {
	return platform.Offline{Kind: k, Described: k.described, Where: "the machine"}
}

// Name is the registry key.
func (Kind) Name() string { return "local" }

// Parameters are what a study may say of this platform.
type Parameters struct {
	Prometheus *prometheus.Parameters `yaml:"prometheus,omitempty" json:"prometheus,omitempty" jsonschema:"description=Existing Prometheus that is asked what this machine and those of the storage did: docs/telemetry.md"`
	Described  *platform.Description  `yaml:"described,omitempty" json:"described,omitempty" jsonschema:"description=Machine that plan --offline takes this one for"`
}

// Defaults gives fresh parameters.
func (Kind) Defaults() any { return &Parameters{} }

// Validate looks at the Prometheus that a study names and at the machine that it describes.
func (Kind) Validate(parameters any) (bad []describe.Problem) {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []describe.Problem{{Text: fmt.Sprintf("the parameters of a local platform are %T", parameters)}}
	}
	bad = p.Described.Problems(false)
	if p.Prometheus == nil {
		return bad
	}
	for _, problem := range p.Prometheus.Problems() {
		bad = append(bad, describe.Problem{Path: "prometheus." + problem.Path, Text: problem.Text})
	}
	return bad
}

// Bind gives the kind with the study's Prometheus and machine.
func (Kind) Bind(parameters any) platform.Kind {
	if p, ok := parameters.(*Parameters); ok {
		return Kind{prometheus: p.Prometheus, described: p.Described}
	}
	return Kind{}
}

// Hosts refuses classes of claims.
func (Kind) Hosts(k storage.Kind) error {
	if k.Capabilities().Claims != nil {
		return fmt.Errorf("its volumes are claims in a cluster, which this machine has none of; choose the platform with --platform, or a class of this machine's, such as directory")
	}
	return nil
}

// Find asks the engine, which looks over this machine.
func (Kind) Find(ctx context.Context, e app.Engine, version string, fetch bool) (app.Installation, error) {
	return e.Find(ctx, version, fetch)
}

// Capacity is this machine's, as far as the container that Plimsoll runs in, if it
// does, lets it be used.
func (Kind) Capacity(context.Context) (describe.Capacity, error) {
	has := describe.Capacity{
		MemoryBytes: found(machine.UsableMemory()), Cores: machine.UsableCores(),
		OpenFiles: found(machine.OpenFiles()), Tasks: found(machine.UsableTasks()),
	}
	if machine.Contained() {
		has.Where = "this container"
		has.Notes = machine.LimitTexts()
	}
	return has, nil
}

// found is a figure where it is known.
func found(figure int64, known bool) *int64 {
	if !known {
		return nil
	}
	return &figure
}

// Space is the space that an unprivileged writer may still use of the file system of a
// directory; if the directory does not exist, of the file system on which it would be made.
func (Kind) Space(_ context.Context, directory string) (describe.Space, error) {
	var st unix.Statfs_t
	err := unix.Statfs(directory, &st)
	for errors.Is(err, fs.ErrNotExist) && directory != filepath.Dir(directory) {
		directory = filepath.Dir(directory)
		err = unix.Statfs(directory, &st)
	}
	if err != nil {
		return describe.UnknownSpace(), &fs.PathError{Op: "look for free space in", Path: directory, Err: err}
	}
	var info unix.Stat_t
	if err := unix.Stat(directory, &info); err != nil {
		return describe.UnknownSpace(), &fs.PathError{Op: "look for the file system of", Path: directory, Err: err}
	}
	free := float64(st.Bavail) * float64(st.Bsize)
	s := describe.Space{ID: strconv.FormatUint(info.Dev, 10), Bytes: int64(math.Min(free, math.MaxInt64)), Files: -1}
	if st.Files > 0 { // Btrfs has none to count
		s.Files = int64(min(st.Ffree, math.MaxInt64))
	}
	mount, err := mounts.Find(directory)
	if err != nil {
		return describe.UnknownSpace(), err
	}
	s.InMemory = mount.InMemory()
	return s, nil
}

// Kept is a directory of golden volumes.
func (Kind) Kept(cache string) platform.Kept { return store(cache) }

// New makes the platform of a run.
func (k Kind) New(env platform.Env) (platform.Platform, error) {
	l, err := New(env)
	if err != nil {
		return nil, err // and not a platform that is nil
	}
	l.prometheus = k.prometheus
	return l, nil
}
