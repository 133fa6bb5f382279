package place

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/detach"
	"plimsoll/internal/platform/kubernetes/image"
)

// Home says where detached runs live.
type Home struct {
	Kubeconfig, Context string // where the command has no flags of a platform
	namespace           string
	account             string
	claim               string
	image               string
}

// HomeNamespace is where detached runs live unless a flag says otherwise.
const HomeNamespace = "plimsoll"

// Register adds the flag of every command about detached runs.
func (o *Home) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.namespace, "job-namespace", HomeNamespace, "namespace of detached runs, which the Helm chart was installed in")
}

// RegisterNew adds the flags for a run that is to be started.
func (o *Home) RegisterNew(cmd *cobra.Command) {
	o.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.account, "job-account", "plimsoll", "with --detach: ServiceAccount that the campaign runs under")
	f.StringVar(&o.claim, "job-claim", "plimsoll-runs", "with --detach: claim that holds the run directories")
	f.StringVar(&o.image, "job-image", "", "with --detach: image of plimsoll (default the study's, or "+image.Reference("VERSION")+")")
}

// RegisterCluster adds how the cluster is reached.
func (o *Home) RegisterCluster(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "`file` that says how to reach the cluster (default $KUBECONFIG or ~/.kube/config)")
	f.StringVar(&o.Context, "context", "", "context of that file (default the current one)")
	_ = cmd.MarkFlagFilename("kubeconfig")
	cmd.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return o.runNames(c), cobra.ShellCompDirectiveNoFileComp
	}
}

// runNames proposes the runs of the cluster; none where it cannot be reached.
func (o *Home) runNames(c *cobra.Command) (names []string) {
	client, err := api.Connect(c.Context(), o.Kubeconfig, o.Context)
	if err != nil {
		return nil
	}
	all, _ := detach.Home{Client: client, Namespace: o.namespace}.List(c.Context())
	for _, r := range all {
		names = append(names, r.Run)
	}
	return names
}

// Connect reaches the cluster.
func Connect(s *command.State, o Home) (detach.Home, error) {
	client, err := api.Connect(s.Context, o.Kubeconfig, o.Context)
	if err != nil {
		return detach.Home{}, command.CannotRun(err, "")
	}
	return detach.Home{Client: client, Namespace: o.namespace, Account: o.account, Claim: o.claim, Image: o.image}, nil
}

// Cluster is the parameters of a platform that is a cluster.
type Cluster interface {
	// Cluster is how it is reached.
	Cluster() (kubeconfig, context string)
	// PlimsollImage is a reference, and the name of the pull secret, if any.
	PlimsollImage() (reference, pullSecret string)
}
