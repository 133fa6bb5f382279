package sink

import (
	"context"
	"fmt"
	"io"
	"os"

	"plimsoll/internal/host/simnet/link"
	"plimsoll/internal/host/thread"
)

// Main runs a sink until it is stopped. A plain user gets a link of his own in a
// user namespace, where he may make network namespaces; for that the program starts
// itself again.
func Main(ctx context.Context, c Config, out io.Writer) error {
	if c.Link.Path != link.Direct && os.Geteuid() != 0 {
		return link.AsRoot(ctx, out)
	}
	thread.Settings{Threads: mostThreads + 2, Places: mostThreads}.Use() // threads for the listeners, too
	return Serve(ctx, c, out, func(address string) {
		if c.Socket == "" {
			fmt.Fprintf(out, "streams come in at %s\n", address)
		}
	})
}

// mostThreads bounds how many streams have a thread each.
const mostThreads = 64
