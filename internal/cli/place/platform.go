// Package place has the flags that choose where instances and detached runs are, and how that
// is reached.
package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/platform"
	"plimsoll/internal/study"
)

// Options choose where instances run, and how that is reached. What they
// leave open is the study's.
type Options struct {
	Platform   string
	Kubeconfig string
	Context    string
	InCluster  bool // reach it from inside, whatever the study says
	images     map[string]string
}

// Register adds the flags.
func (o *Options) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Platform, "platform", "", "where instances run: "+listed(registry.Platforms())+" (default the study's, or "+facts.DefaultPlatform+")")
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "kubernetes: `file` that says how to reach the cluster (default as kubectl)")
	f.StringVar(&o.Context, "context", "", "kubernetes: context of that file (default the current one)")
	f.StringToStringVar(&o.images, "image", nil, "kubernetes: `NAME=REF` of an image (of an engine, or plimsoll)")
	_ = cmd.MarkFlagFilename("kubeconfig")
	_ = cmd.RegisterFlagCompletionFunc("platform", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return slices.Sorted(maps.Keys(registry.Platforms())), cobra.ShellCompDirectiveNoFileComp
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

// Choose gives a study's platform with what the flags say of it.
func (o Options) Choose(p study.Platform) (study.Platform, error) {
	name := cmp.Or(o.Platform, p.Name)
	if name == "" && !o.locates() {
		return p, nil
	}
	name = cmp.Or(name, facts.DefaultPlatform)
	kind, ok := registry.Platforms()[name]
	if !ok {
		return p, command.Usage(fmt.Errorf("--platform: unknown platform %q; known: %s", name, listed(registry.Platforms())))
	}
	if name != p.Name {
		p = study.Platform{Name: name, Parameters: kind.Defaults()}
	}
	if o.InCluster {
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
		return p, command.Usage(fmt.Errorf("--kubeconfig, --context and --image are for a cluster; the platform is %s", name))
	}
	l.Locate(command.AbsoluteOrEmpty(o.Kubeconfig), o.Context)
	l.UseImages(o.images)
	return p, nil
}

// PartsFor are the parts on the platform that flags alone choose, and whether that is
// another than this machine.
func PartsFor(o Options) (parts facts.Parts, elsewhere bool, err error) {
	chosen, err := o.Choose(study.Platform{})
	if err != nil || chosen.Name == "" || chosen.Name == facts.DefaultPlatform {
		return registry.Parts(), false, err
	}
	if parts, err = registry.Parts().On(chosen); err != nil {
		return parts, true, command.Usage(err)
	}
	return parts, true, nil
}

// locates reports whether a cluster is given.
func (o Options) locates() bool {
	return o.Kubeconfig != "" || o.Context != "" || o.InCluster || len(o.images) > 0
}
