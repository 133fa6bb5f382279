package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// platformOptions choose where instances run, and how that is reached. What they
// leave open is the study's.
type platformOptions struct {
	platform   string
	kubeconfig string
	context    string
	inCluster  bool // reach it from inside, whatever the study says
	images     map[string]string
}

func (o *platformOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.platform, "platform", "", "where instances run: "+listed(platforms())+" (default the study's, or "+campaign.DefaultPlatform+")")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubernetes: `file` that says how to reach the cluster (default as kubectl)")
	f.StringVar(&o.context, "context", "", "kubernetes: context of that file (default the current one)")
	f.StringToStringVar(&o.images, "image", nil, "kubernetes: `NAME=REF` of an image (of an engine, or plimsoll)")
	_ = cmd.MarkFlagFilename("kubeconfig")
	_ = cmd.RegisterFlagCompletionFunc("platform", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return slices.Sorted(maps.Keys(platforms())), cobra.ShellCompDirectiveNoFileComp
	})
}

func listed(kinds map[string]platform.Kind) string {
	return strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
}

// located is the parameters of a platform that is a cluster somewhere.
type located interface {
	Locate(kubeconfig, context string)
	// UseImages sets images, by engine, that replace the study's.
	UseImages(images map[string]string)
}

// choose gives a study's platform with what the flags say of it.
func (o platformOptions) choose(p study.Platform) (study.Platform, error) {
	name := firstOf(o.platform, p.Name)
	if name == "" && !o.locates() {
		return p, nil
	}
	name = firstOf(name, campaign.DefaultPlatform)
	kind, ok := platforms()[name]
	if !ok {
		return p, usage(fmt.Errorf("--platform: unknown platform %q; known: %s", name, listed(platforms())))
	}
	if name != p.Name {
		p = study.Platform{Name: name, Parameters: kind.Defaults()}
	}
	if o.inCluster {
		if i, ok := p.Parameters.(interface{ Inside() }); ok {
			i.Inside()
		}
		if l, ok := p.Parameters.(located); ok {
			l.UseImages(o.images)
		}
		return p, nil
	}
	if !o.locates() {
		return p, nil
	}
	l, ok := p.Parameters.(located)
	if !ok {
		return p, usage(fmt.Errorf("--kubeconfig, --context and --image are for a cluster; the platform is %s", name))
	}
	l.Locate(absoluteOrEmpty(o.kubeconfig), o.context)
	l.UseImages(o.images)
	return p, nil
}

// partsFor are the parts on the platform that flags alone choose, and whether that is
// another than this machine.
func (s *State) partsFor(o platformOptions) (parts campaign.Parts, elsewhere bool, err error) {
	chosen, err := o.choose(study.Platform{})
	if err != nil || chosen.Name == "" || chosen.Name == campaign.DefaultPlatform {
		return Parts(), false, err
	}
	if parts, err = Parts().On(chosen); err != nil {
		return parts, true, usage(err)
	}
	return parts, true, nil
}

// locates reports whether a cluster is given.
func (o platformOptions) locates() bool {
	return o.kubeconfig != "" || o.context != "" || o.inCluster || len(o.images) > 0
}

// partsOf are the parts that a plan was made with.
func partsOf(p *plan.Plan) (campaign.Parts, error) { return Parts().On(p.Study.Platform) }

// sweeperOf returns the platform that removes a run's registered objects. The objects themselves
// say where they are; the plan is not asked, because it may come from anybody.
func sweeperOf(s journal.State) platform.Kind {
	all := platforms()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, cluster := all[name].Defaults().(located); cluster && slices.ContainsFunc(s.Objects, journal.Object.InCluster) {
			return all[name]
		}
	}
	return all[campaign.DefaultPlatform]
}

func absoluteOrEmpty(path string) string {
	if path == "" {
		return ""
	}
	return absolute(path)
}
