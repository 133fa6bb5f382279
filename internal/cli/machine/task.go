package machine

import (
	"os"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/workload/driver"
)

// newTask is what a platform starts near an instance. It is hidden because
// nobody types a job.
func newTask(s *command.State) *cobra.Command {
	return &cobra.Command{
		Use:    "task",
		Short:  "Do the job on standard input near an instance",
		Hidden: true,
		Args:   command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			handlers := job.Handlers(job.Registries{Workloads: registry.Workloads(), Engines: registry.Engines()})
			handlers[driver.TaskKind] = driver.Handler(registry.Workloads())
			handlers[driver.AnswerKind] = driver.AnswerHandler(registry.Workloads())
			// Frames are no text: they do not go through the escaping of s.Stdout.
			return task.Main(s.Context, s.Stdin, os.Stdout, handlers)
		},
	}
}
