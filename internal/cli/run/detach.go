package run

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/platform/kubernetes/detach"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// notPassedOn are flags of `plimsoll run` that are about this machine.
var notPassedOn = []string{
	"detach", "kubeconfig", "context", "job-namespace", "job-account", "job-claim", "job-image", "platform", "runs", "name", "resume", "force", "adopt", "work", "cache",
}

// passedOn are the flags that a detached campaign is given.
func passedOn(cmd *cobra.Command) (flags []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if many, ok := f.Value.(pflag.SliceValue); ok && f.Value.Type() == "stringArray" {
			for _, value := range many.GetSlice() {
				flags = append(flags, "--"+f.Name+"="+value)
			}
			return
		}
		if !slices.Contains(notPassedOn, f.Name) {
			value := f.Value.String()
			if f.Value.Type() == "stringToString" {
				value = strings.Trim(value, "[]")
			}
			flags = append(flags, "--"+f.Name+"="+value)
		}
	})
	return flags
}

// runDetached has the campaign run in the cluster. The study is planned here first, so that its
// problems are reported at once.
func runDetached(s *command.State, cmd *cobra.Command, o *runOptions, args []string) error {
	if err := runArguments(o, args); err != nil {
		return err
	}
	if o.resume != "" {
		return resumeDetached(s, cmd, o)
	}
	p, text, err := makePlan(s.Context, s, registry.Parts(), o.studyOptions, args[0], facts.FetchNever)
	if err != nil {
		return err
	}
	if err := refuse(p.Problems); err != nil {
		return err
	}
	home, err := homeOf(s, o, p)
	if err != nil {
		return err
	}
	name := cmp.Or(o.name, time.Now().Format("20060102-150405")+"-"+p.Study.Name)
	flags := append(passedOn(cmd), "--platform="+p.Study.Platform.Name)
	if err := home.Start(s.Context, detach.Run{Name: name, Study: text, Flags: flags}); err != nil {
		return fmt.Errorf("start %s in the cluster: %w", name, err)
	}
	return printDetached(s, home, name)
}

// homeOf is the home of a new run, in the cluster that its study is for.
func homeOf(s *command.State, o *runOptions, p *plan.Plan) (detach.Home, error) {
	cluster, ok := p.Study.Platform.Parameters.(place.Cluster)
	if !ok {
		return detach.Home{}, command.Usage(errors.New("run: --detach is for studies on a cluster; add --platform kubernetes"))
	}
	o.home.Kubeconfig, o.home.Context = cluster.Cluster()
	home, err := place.Connect(s, o.home)
	if err != nil {
		return home, err
	}
	image, secret := cluster.PlimsollImage()
	home.Image, home.PullSecret = cmp.Or(home.Image, image), secret
	return home, nil
}

func resumeDetached(s *command.State, cmd *cobra.Command, o *runOptions) error {
	o.home.Kubeconfig, o.home.Context = o.Kubeconfig, o.Context
	home, err := place.Connect(s, o.home)
	if err != nil {
		return err
	}
	name := filepath.Base(o.resume)
	if err := home.Resume(s.Context, name, passedOn(cmd)); err != nil {
		return fmt.Errorf("continue %s in the cluster: %w", name, err)
	}
	return printDetached(s, home, name)
}

func printDetached(s *command.State, home detach.Home, name string) error {
	if s.JSON {
		return s.PrintJSON(map[string]string{"run": name, "namespace": home.Namespace})
	}
	_, err := fmt.Fprintln(s.Stdout, s.Spoken(fmt.Sprintf("%s runs in the cluster.\n  follow it:     plimsoll attach %s%s\n  bring it home: plimsoll fetch %s%s", name, name, where(home), name, where(home))))
	return err
}

// begun has a campaign in the cluster go on where another pod of it was ended.
func (o *runOptions) begun(args []string) []string {
	dir := filepath.Join(o.runs, o.name)
	if !o.InCluster || !command.Exists(filepath.Join(dir, result.PlanFile)) {
		return args
	}
	o.resume, o.force, o.adopt = dir, true, true // another pod's register went with it
	return nil
}
