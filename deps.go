//go:build deps

package plimsoll

import (
	_ "charm.land/bubbletea/v2"
	_ "github.com/HdrHistogram/hdrhistogram-go"
	_ "github.com/containerd/cgroups/v3"
	_ "github.com/fergusstrange/embedded-postgres"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/goccy/go-yaml"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/hanwen/go-fuse/v2/fuse"
	_ "github.com/invopop/jsonschema"
	_ "github.com/jackc/pgx/v5"
	_ "github.com/parquet-go/parquet-go"
	_ "github.com/prometheus/procfs"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "github.com/vishvananda/netlink"
	_ "github.com/vishvananda/netns"
	_ "go.uber.org/goleak"
	_ "golang.org/x/perf/benchmath"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "gonum.org/v1/gonum/optimize"
	_ "pgregory.net/rapid"
)
