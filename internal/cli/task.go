package cli

import (
	"os"

	"github.com/spf13/cobra"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/workload/driver"
)

// newTask is what a platform starts near an instance. It is hidden because
// nobody types a job.
func newTask(s *State) *cobra.Command {
	return &cobra.Command{
		Use:    "task",
		Short:  "Do the job on standard input near an instance",
		Hidden: true,
		Args:   exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			handlers := job.Handlers(job.Registries{Workloads: workloads(), Engines: engines()})
			handlers[driver.TaskKind] = driver.Handler(workloads())
			handlers[driver.AnswerKind] = driver.AnswerHandler(workloads())
			// Frames are no text: they do not go through the escaping of s.Stdout.
			return task.Main(s.Context, s.Stdin, os.Stdout, handlers)
		},
	}
}
