// Package trino makes clusters of Trino: a coordinator, and workers, that query the tables
// of a bucket. The settings and the reasons for them are in docs/engines.md.
package trino

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"plimsoll/internal/app"
	client "plimsoll/internal/client/trino"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes the servers of a cluster: one that uses another of its kind is a worker of
// that one, and any other a coordinator.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Config: e, Image: e.Image}
}

const name = "trino"

// Name is the engine's key in studies.
func (Engine) Name() string { return name }

// Kind implements app.Engine.
func (Engine) Kind() string { return client.Kind }

// Image names the official image of a version.
func (Engine) Image(version string) string { return "trinodb/trino:" + cmp.Or(version, release) }

// Initialise implements app.Engine: its servers keep nothing.
func (Engine) Initialise(app.Installation, app.Config) []app.Server { return nil }

// Catalog is the name of the catalogue of the tables in the bucket.
const Catalog = "lake"

// Bucket is the name of the bucket where the store says none.
const Bucket = "lake"

// Server works in ${RUNTIME}. It spills to its first directory, where it has one.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	what := client.Server{}
	if store, ok := c.Store(); ok {
		what = client.Server{Catalog: Catalog, Bucket: cmp.Or(endpoint.StoreOf(store).Name, Bucket)}
	}
	return app.Daemon(c, app.Server{
		Kind: client.Kind, Port: 8080,
		Command:      command(in, c),
		Env:          environment(),
		Files:        files(in, c),
		User:         app.Admin,
		Password:     c.AdminPassword,
		Payload:      endpoint.With(what),
		Ready:        func(ctx context.Context, e endpoint.Endpoint) error { return ready(ctx, e, probeOf(c)) },
		Complaints:   complaints,
		StartTimeout: startTimeout,
		StopTimeout:  time.Minute,
	})
}

// command runs Java itself, since the server's own launcher keeps running after the server
// starts. Java writes nothing outside ${RUNTIME}, and exits when it runs out of memory.
func command(in app.Installation, c app.Config) []string {
	words := []string{
		in.Paths[java], "-Xmx" + strconv.FormatInt(heap(c)/mib, 10) + "m",
		"-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent", "-XX:+ExitOnOutOfMemoryError",
		"-XX:-OmitStackTraceInFastThrow", "-XX:ReservedCodeCacheSize=256M",
		"-XX:PerMethodRecompilationCutoff=10000", "-XX:PerBytecodeRecompilationCutoff=10000",
		"-XX:+EnableDynamicAgentLoading", "-XX:-UsePerfData",
		"-Djdk.attach.allowAttachSelf=true", "-Djdk.nio.maxCachedBufferSize=2000000",
		"-Dfile.encoding=UTF-8", "-Djava.io.tmpdir=${RUNTIME}",
	}
	if c.Limits.CPU > 0 { // Java does not find the limits of every control group
		words = append(words, "-XX:ActiveProcessorCount="+strconv.Itoa(max(1, int(c.Limits.CPU+0.5))))
	}
	return append(words, "-Dconfig="+configFile, "-Dlog.levels-file="+logFile, "-Dnode.data-dir=${RUNTIME}/var",
		"-cp", in.Paths[name]+"/lib/*", "io.trino.server.TrinoServer")
}

// environment lets Java use paths with any letter, and keeps its memory outside the heap
// together: the C library would otherwise use an arena for each core and thread.
func environment() []string { return []string{"LC_ALL=C.UTF-8", "MALLOC_ARENA_MAX=2"} }

// complaints match log lines with the reason for giving up.
var complaints = regexp.MustCompile(`\tERROR\t|^\d+\) |Address already in use|Trino requires|^Exception|^Error:|OutOfMemoryError`)

// ready asks the server itself. That all workers are with the coordinator is for whoever
// sends it queries to see (trino.Client.Await): it starts before they do.
func ready(ctx context.Context, e endpoint.Endpoint, probe string) error {
	c, err := client.Open(e)
	if err != nil {
		return fmt.Errorf("%w: %w", err, app.ErrHopeless)
	}
	defer c.Close()
	about, err := c.Info(ctx)
	if err != nil {
		return err
	}
	if about.Starting {
		return errStarting
	}
	if about.Coordinator {
		_, err = c.All(ctx, client.Query{SQL: probe})
	}
	return err
}

// Statements that a coordinator answers once it is ready: by itself, and with a node that
// reads, which it is, too, a moment after it has started.
const (
	answering = "SELECT 1"
	reading   = "SELECT count(*) FROM tpcds.tiny.reason"
)

// probeOf is the statement that a ready server answers: a coordinator that leaves reading
// to workers starts before there are any.
func probeOf(c app.Config) string {
	if c.Settings["node-scheduler.include-coordinator"] == "false" {
		return answering
	}
	return reading
}

// startTimeout is generous: on two cores that others keep busy a start took five minutes.
const startTimeout = 10 * time.Minute

const (
	mib = 1 << 20
	// unlimited is the memory in bytes that a server without a limit is configured for.
	unlimited = 2 << 30
	// leastMemory is the least in which a server starts and answers small queries.
	leastMemory = 1 << 30
	// outside is the least memory that Java needs outside its heap for classes, code,
	// threads and buffers. With more memory it is outsideShare.
	outside      = 512 * mib
	outsideShare = 0.2
)

// heap is the size of Java's heap in bytes: the memory minus Java's needs outside it.
func heap(c app.Config) int64 {
	all := cmp.Or(c.Limits.Memory, unlimited)
	return max(all-max(outside, int64(outsideShare*float64(all))), 256*mib)
}

// Memory is the whole limit: Java returns no memory once taken.
func (Engine) Memory(c app.Config) int64 { return cmp.Or(c.Limits.Memory, unlimited) }

// Overhead implements app.Engine: it spills while it runs a query alone.
func (Engine) Overhead() int64 { return 0 }
