package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
)

// profileOptions name the files for profiles of this process, which a command writes for
// developers; an empty name asks for none.
type profileOptions struct {
	cpu    string // as go tool pprof reads it
	memory string // what was allocated until the end, as go tool pprof reads it
	trace  string // as go tool trace reads it
}

func (o *profileOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.cpu, "cpuprofile", "", "write a CPU profile of this process to `FILE`, for go tool pprof")
	f.StringVar(&o.memory, "memprofile", "", "write a profile of this process's allocations to `FILE` at its end, for go tool pprof")
	f.StringVar(&o.trace, "trace", "", "write an execution trace of this process to `FILE`, for go tool trace")
}

func (o *profileOptions) any() bool { return o.cpu+o.memory+o.trace != "" }

// check refuses one file for two profiles.
func (o *profileOptions) check() error {
	named := map[string]bool{}
	for _, file := range []string{o.cpu, o.memory, o.trace} {
		if file != "" && named[file] {
			return command.Usage(fmt.Errorf("run: %s cannot hold two profiles; name a file for each", file))
		}
		named[file] = true
	}
	return nil
}

// profile is one kind of profile: stop completes what start began to write.
type profile struct {
	file  string
	start func(io.Writer) error
	stop  func(io.Writer) error
}

// profiled does the work of a command and profiles it as asked. All files are opened before it
// begins, and they are complete however it ends, unless the process is killed.
func profiled(s *command.State, o *profileOptions, work func() error) (err error) {
	for _, p := range []profile{
		{o.cpu, pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
		{o.trace, trace.Start, func(io.Writer) error { trace.Stop(); return nil }},
		{o.memory, func(io.Writer) error { return nil }, writeAllocations},
	} {
		if p.file == "" {
			continue
		}
		end, failed := p.begin()
		if failed != nil {
			return failed
		}
		defer func() {
			failed := end()
			if err == nil {
				err = failed
			} else if failed != nil {
				s.Complain("plimsoll: %s", failed) // the error of the work says how the command ended
			}
		}()
	}
	return work()
}

func (p profile) begin() (end func() error, err error) {
	file, err := os.Create(p.file)
	if err != nil {
		return nil, profileError(p.file, err)
	}
	if err := p.start(file); err != nil {
		return nil, profileError(p.file, errors.Join(err, file.Close()))
	}
	return func() error { return profileError(p.file, errors.Join(p.stop(file), file.Close())) }, nil
}

// writeAllocations writes what was allocated and what of it is in use.
func writeAllocations(to io.Writer) error {
	runtime.GC() // memory in use is counted as of the last collection
	return pprof.Lookup("allocs").WriteTo(to, 0)
}

func profileError(path string, err error) error {
	if err == nil {
		return nil
	}
	if named := new(fs.PathError); errors.As(err, &named) && named.Path == path {
		err = named.Err // the message has the path already
	}
	return command.WithCode(fmt.Errorf("write the profile %s: %w", path, err), command.ExitFailure, "name a file that you may write, on a file system with space")
}
