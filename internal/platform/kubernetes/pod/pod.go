// Package pod implements the processes inside pods: this program as the first process, and
// the commands that run next to it (kubectl exec POD -- /task/plimsoll pod status). It
// knows nothing of Kubernetes: all of it can be tested as plain processes.
//
// A task's pod. Its first process, the supervisor (pod task), waits for a job and starts
// the task as its child, with a file as standard output, the spool. It stays after the
// child's end until it is stopped, because the output may still be read. It listens on a
// socket in the Place that the pod's processes share; pod link connects its own standard
// input and output to that socket, for a Link outside; pod read gives the frames of the
// spool as they grow. pod stop ends the task.
//
// A server's pod. An init container copies this program to a volume of the pod (pod
// install). The main container has the image of the server's program; in it this program
// (pod serve) writes the server's files, starts it, passes signals on to it and reports how
// it ended. pod kill ends it as a crash would.
package pod

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"plimsoll/internal/host/archive"
)

// What pod serve reads, and where it says how the server ended.
const (
	Description = "/server/server.json"
	Termination = "/dev/termination-log"
)

// Directory is the Place in pods of tasks, a volume of the pod.
const Directory = "/task"

// Place is the directory that the processes of a task's pod share.
type Place string

func (p Place) socket() string { return filepath.Join(string(p), "socket") }

func (p Place) spool() string { return filepath.Join(string(p), "spool") }

// Program is a fixed path to this program, wherever it is in the image: commands that run
// next to the supervisor need one.
func (p Place) Program() string { return filepath.Join(string(p), "plimsoll") }

// Main is `plimsoll pod` with its arguments.
func Main(ctx context.Context, arguments []string, in io.Reader, out io.Writer) error {
	if len(arguments) == 0 {
		return errors.New("pod needs to be told what to do: task, link, read, status, stop, install, serve, kill, idle or archive")
	}
	flags := flag.NewFlagSet("pod "+arguments[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	dir := flags.String("dir", Directory, "directory that the processes of the pod share")
	from := flags.Uint64("from", 1, "number of the first frame to read")
	now := flags.Bool("now", false, "give the task no time to end in order")
	if err := flags.Parse(arguments[1:]); err != nil {
		return err
	}
	place := Place(*dir)
	switch arguments[0] {
	case "task":
		return place.Supervise(ctx, os.Stderr)
	case "link":
		return place.link(ctx, in, out)
	case "read":
		return place.read(ctx, *from, in, out)
	case "status":
		return place.status(ctx, out)
	case "stop":
		if *now {
			return place.request(ctx, verbKill)
		}
		return place.request(ctx, verbStop)
	case "install":
		return Install(InstallDirectory)
	case "serve":
		return Serve(ctx, Description, Termination, out)
	case "archive":
		return archive.Write(ctx, out, flags.Arg(0))
	case "idle": // others use the pod's volumes
		<-ctx.Done()
		return nil
	case "kill":
		return killAll()
	}
	return fmt.Errorf("pod does not know %q", arguments[0])
}
