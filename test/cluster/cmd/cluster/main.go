// Command cluster runs a test cluster for people:
//
//	go run ./test/cluster/cmd/cluster up
//	eval "$(go run ./test/cluster/cmd/cluster env)"
//	kubectl get pods
//	go run ./test/cluster/cmd/cluster down
package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/test/cluster"
	"plimsoll/test/cluster/node"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{Use: "cluster", Short: "A real Kubernetes cluster of one node on this machine", SilenceUsage: true}
	root.AddCommand(up(), down(), env(), program("start"), program("stop"), program("kill"), first(), second())
	if root.ExecuteContext(ctx) != nil {
		os.Exit(1)
	}
}

func up() *cobra.Command {
	var o cluster.Options
	cmd := &cobra.Command{Use: "up", Short: "Start a cluster, and leave it running", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if all := cluster.Running(); len(all) > 0 {
			return fmt.Errorf("a cluster runs already, in %s", all[0].Directory())
		}
		began := time.Now()
		o.Stays, o.Say = true, func(line string) { fmt.Println(line) }
		c, err := cluster.Up(cmd.Context(), o)
		if err != nil {
			return err
		}
		fmt.Printf("ready after %.1f s: %s\n", time.Since(began).Seconds(), c.Kubeconfig)
		return nil
	}}
	cmd.Flags().IntVar(&o.Nodes, "nodes", 0, "simulate so many nodes instead")
	cmd.Flags().StringVar(&o.Media, "media", "hdd-7200", "simulated disk of the storage class slow")
	return cmd
}

// each does something with all clusters that were left running.
func each(do func(*cluster.Cluster) error) error {
	all := cluster.Running()
	if len(all) == 0 {
		return errors.New("no cluster runs; start one: go run ./test/cluster/cmd/cluster up")
	}
	var errs []error
	for _, c := range all {
		errs = append(errs, do(c))
	}
	return errors.Join(errs...)
}

func down() *cobra.Command {
	return &cobra.Command{Use: "down", Short: "End the clusters that were left running", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return each((*cluster.Cluster).Down)
	}}
}

func env() *cobra.Command {
	return &cobra.Command{Use: "env", Short: "Print shell commands that make kubectl usable", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return each(func(c *cluster.Cluster) error {
			for _, variable := range c.Environment() {
				fmt.Printf("export '%s'\n", variable)
			}
			fmt.Printf("# its network: nsenter --net=%s\n# its logs: %s/log\n", c.Netns(), c.Directory())
			for _, name := range slices.Sorted(maps.Keys(c.Images)) {
				fmt.Printf("# image %s: %s\n", name, c.Images[name])
			}
			return nil
		})
	}}
}

func program(act string) *cobra.Command {
	return &cobra.Command{Use: act + " PROGRAM", Short: "Do so with a program of the cluster, such as kubelet", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, arguments []string) error {
		do := map[string]func(*cluster.Cluster, context.Context, string) error{
			"start": (*cluster.Cluster).StartProgram, "stop": (*cluster.Cluster).StopProgram, "kill": (*cluster.Cluster).KillProgram,
		}[act]
		return each(func(c *cluster.Cluster) error { return do(c, cmd.Context(), arguments[0]) })
	}}
}

// first and second are the processes of the node.
func first() *cobra.Command {
	return &cobra.Command{Use: "init DIRECTORY", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, arguments []string) error {
		code, err := node.Init(arguments[0], []string{"node", arguments[0]})
		if err == nil {
			os.Exit(code)
		}
		return err
	}}
}

func second() *cobra.Command {
	return &cobra.Command{Use: "node DIRECTORY", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, arguments []string) error {
		return node.Run(arguments[0])
	}}
}
