package results

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/report/live"
)

func newServe(s *command.State) *cobra.Command {
	var o live.Options
	cmd := &cobra.Command{
		Use:   "serve [RUNS]",
		Short: "Show the runs of a directory in a browser",
		Long: `Serve shows the runs of a directory in a browser until it is interrupted: a list
to search, each report, the load line of a study over dates and versions, and any
two runs compared. RUNS is the directory that holds runs (default runs).

Without --address only this machine reaches the pages. On any other address they
ask for a token, which is made for this process and kept in a file that only you
can read; open ADDRESS#token=TOKEN, or enter it in the page.`,
		Example: `  plimsoll serve
  plimsoll serve /data/runs --address 127.0.0.1:8080
  plimsoll serve /data/runs --address :8080 --token-file ~/.plimsoll-token`,
		Args:              command.MaxArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return serveRuns(s, o, cmp.Or(append(args, "runs")...)) },
		ValidArgsFunction: command.CompleteDirectories,
	}
	cmd.Flags().StringVar(&o.Addr, "address", "", "address to listen on, such as :8080 for all interfaces (default a free port of 127.0.0.1)")
	cmd.Flags().StringVar(&o.TokenFile, "token-file", "", TokenFileUsage)
	_ = cmd.RegisterFlagCompletionFunc("address", cobra.NoFileCompletions)
	return cmd
}

// TokenFileUsage is the help of --token-file.
const TokenFileUsage = "`file` with the token for the pages; made if missing"

func serveRuns(s *command.State, o live.Options, dir string) error {
	if !command.Exists(dir) {
		return command.WithCode(fmt.Errorf("serve: there is no directory %s", dir), command.ExitUsage, "plimsoll demo makes a run, in the directory runs; or name the directory that holds runs")
	}
	if err := rundir.CheckRuns(dir); err != nil {
		return err
	}
	history, err := live.NewHistory(dir, judge, rundir.InProgress)
	if err != nil {
		return err
	}
	defer history.Close()
	l, err := live.Listen(o)
	if err != nil {
		return command.CannotRun(err, "")
	}
	history.Register(l)
	l.Start()
	fmt.Fprintln(s.Stdout, "runs in "+dir+", until Ctrl-C: "+WhereTo(l))
	<-s.Context.Done()
	return ClosePages(l)
}

// WhereTo says where the pages are, and which file has the token they ask for.
func WhereTo(l *live.Listener) string {
	if file := l.TokenFile(); file != "" {
		return l.URL() + " (it asks for the token in " + file + ")"
	}
	return l.URL()
}

// ClosePages stops a server, with a little patience for answers under way.
func ClosePages(l *live.Listener) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return l.Close(ctx)
}
