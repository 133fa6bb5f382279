package netsink

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/simnet"
	"plimsoll/internal/sink"
	"plimsoll/internal/version"
)

// Settings of a study, and what there is to choose from; the first is the default.
const (
	pathSetting    = "path"
	offloadSetting = "receive_offload"
	rateSetting    = "link_rate"
)

var (
	paths    = []string{"direct", sink.Remote, sink.Local}
	offloads = []string{"as-is", sink.On, sink.Off}
)

// linkOf is the link that settings ask for. What they cannot mean CheckConfig refuses.
func linkOf(settings map[string]string) (l sink.Link) {
	if p := settings[pathSetting]; p != paths[0] {
		l.Path = p
	}
	if o := settings[offloadSetting]; o != offloads[0] {
		l.ReceiveOffload = o
	}
	if r := settings[rateSetting]; r != "" {
		l.Rate, _ = simnet.ParseRate(r)
	}
	return l
}

// leastMemory is what the sink starts in.
const leastMemory = 16 * mib

// CheckConfig judges the settings: only a link of the sink's own can be changed, not an
// interface that others use, too; and a link needs the sink and its users on one machine,
// which they are not where servers run in images.
func (Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	direct := linkOf(c.Settings).Path == sink.Direct
	return app.JudgeConfig(c, "the sink", leastMemory, app.Outward{}, func(name, value string) (*app.ConfigProblem, error) {
		return judge(in, direct, name, value), nil
	})
}

// Outward implements app.ConfigChecker: of its settings none names anything.
func (Engine) Outward() app.Outward { return app.Outward{} }

func judge(in app.Installation, direct bool, name, value string) *app.ConfigProblem {
	switch name {
	case pathSetting:
		if p := oneOf(value, paths); p != nil || direct || in.Image == "" {
			return p
		}
		return &app.ConfigProblem{
			Reason: "a virtual link is within one machine, and here the sink and its users are in containers of their own",
			Hint:   "set path to direct, which is the network between their containers; or measure the link with --platform local",
		}
	case offloadSetting:
		if p := oneOf(value, offloads); p != nil || value == offloads[0] || !direct {
			return p
		}
		return &app.ConfigProblem{
			Reason: "on the direct path the interfaces are the machine's, which others use, too",
			Hint:   "set path to remote or local; or switch the interface yourself with ethtool -K NAME gro " + value + " lro " + value + ", and leave receive_offload as it is",
		}
	case rateSetting:
		if _, err := simnet.ParseRate(value); err != nil {
			return &app.ConfigProblem{Reason: err.Error()}
		}
		if direct {
			return &app.ConfigProblem{Reason: "on the direct path the link is the machine's", Hint: "set path to remote or local"}
		}
		return nil
	}
	return app.UnknownSetting("the sink of Plimsoll", cmp.Or(in.Version, version.Get()), name, []string{pathSetting, offloadSetting, rateSetting})
}

func oneOf(value string, all []string) *app.ConfigProblem {
	if slices.Contains(all, value) {
		return nil
	}
	return &app.ConfigProblem{Reason: fmt.Sprintf("%q is not %s", value, strings.Join(all, " or "))}
}

// Notes implements app.Noter: a link of the sink's own is no network.
func (Engine) Notes(c app.Config) []string {
	l := linkOf(c.Settings)
	if l.Path == sink.Direct {
		return nil
	}
	text := "the network is simulated: streams go over a virtual link between two network namespaces of one machine"
	if l.Rate > 0 {
		text += fmt.Sprintf(", limited to %g Gb/s", float64(l.Rate)/1e9)
	}
	return []string{text}
}
