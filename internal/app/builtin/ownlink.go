// Package builtin has what engines share whose servers are this program: where it is found, and
// the settings of a link of a server's own (package simnet/link).
package builtin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/host/simnet"
	"plimsoll/internal/host/simnet/link"
	"plimsoll/internal/text/version"
)

// Program is this program, wherever it is: another user may be unable to reach its path,
// but can start a running program (proc(5)).
const Program = "/proc/self/exe"

// Find returns this program as an engine's installation; it has one version. noun is what errors
// call the server.
func Find(engine, noun, wanted string) (app.Installation, error) {
	in := app.Installation{Engine: engine, Version: version.Get(), Source: "plimsoll", Paths: map[string]string{"plimsoll": Program}}
	if !in.Is(wanted) {
		return in, fmt.Errorf("the %s is Plimsoll itself, version %s, and version %s is not supported: use no version", noun, in.Version, wanted)
	}
	return in, nil
}

// Settings of a study. The lists below have their values; the first is the default.
const (
	PathSetting    = "path"
	OffloadSetting = "receive_offload"
	RateSetting    = "link_rate"
)

var (
	paths    = []string{"direct", link.Remote, link.Local}
	offloads = []string{"as-is", link.On, link.Off}
)

// LinkOf is the link that settings ask for. Judge refuses invalid ones.
func LinkOf(settings map[string]string) (l link.Link) {
	if p := settings[PathSetting]; p != paths[0] {
		l.Path = p
	}
	if o := settings[OffloadSetting]; o != offloads[0] {
		l.ReceiveOffload = o
	}
	if r := settings[RateSetting]; r != "" {
		l.Rate, _ = simnet.ParseRate(r)
	}
	return l
}

// Check judges the configuration of a server with no settings other than its link's. least
// is the memory it needs to start, in bytes. noun is the name of the server in reports.
func Check(in app.Installation, c app.Config, noun string, least int64) ([]describe.Problem, error) {
	return app.JudgeConfig(c, "the "+noun, least, app.OutwardSettings{}, func(name, value string) (*describe.Problem, error) {
		if !slices.Contains(names(), name) {
			return app.UnknownSetting("the "+noun+" of Plimsoll", cmp.Or(in.Version, version.Get()), name, names()), nil
		}
		return judge(in, c.Settings, noun, name, value), nil
	})
}

func names() []string { return []string{PathSetting, OffloadSetting, RateSetting} }

// judge refuses invalid values of a setting: only a link of the server's own can be
// changed, not an interface that others use, too; and a link needs the server and its users
// on one machine, which rules out servers in images.
func judge(in app.Installation, settings map[string]string, noun, name, value string) *describe.Problem {
	direct := LinkOf(settings).Path == link.Direct
	switch name {
	case PathSetting:
		if p := oneOf(value, paths); p != nil || direct || in.Image == "" {
			return p
		}
		return &describe.Problem{
			Text: "a virtual link is within one machine, and here the " + noun + " and its users are in containers of their own",
			Hint: "set path to direct, which is the network between their containers; or measure the link with --platform local",
		}
	case OffloadSetting:
		if p := oneOf(value, offloads); p != nil || value == offloads[0] || !direct {
			return p
		}
		return &describe.Problem{
			Text: "on the direct path the interfaces are the machine's, which others use, too",
			Hint: "set path to remote or local; or switch the interface yourself with ethtool -K NAME gro " + value + " lro " + value + ", and leave receive_offload as it is",
		}
	case RateSetting:
		if _, err := simnet.ParseRate(value); err != nil {
			return &describe.Problem{Text: err.Error()}
		}
		if direct {
			return &describe.Problem{Text: "on the direct path the link is the machine's", Hint: "set path to remote or local"}
		}
	}
	return nil
}

func oneOf(value string, all []string) *describe.Problem {
	if slices.Contains(all, value) {
		return nil
	}
	return &describe.Problem{Text: fmt.Sprintf("%q is not %s", value, strings.Join(all, " or "))}
}

// Notes explains that a link is no network; what is the plural of the things that go over
// it: streams. There are none without a link.
func Notes(settings map[string]string, what string) []string {
	l := LinkOf(settings)
	if l.Path == link.Direct {
		return nil
	}
	text := "the network is simulated: " + what + " go over a virtual link between two network namespaces of one machine"
	if l.Rate > 0 {
		text += fmt.Sprintf(", limited to %g Gb/s", float64(l.Rate)/1e9)
	}
	return []string{text}
}
