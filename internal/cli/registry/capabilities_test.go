package registry

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/capability"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/device"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/external"
	"plimsoll/internal/storage/s3"
	"plimsoll/internal/workload"
)

var update = flag.Bool("update", false, "write the pages of docs/ anew")

const capabilitiesPage = "../../../docs/capabilities.md"

const intro = `# Capabilities

Abilities that not every storage class, engine, workload or platform has. ` + "`plimsoll doctor --capabilities`" + ` lists the same for each
of them, with the abilities that it lacks; ` + "`--json`" + ` is for programs. A storage class is listed where parameters give the capability.
[Events](events.md) lists the actions that are possible while users are at work.
`

// The page matches the registries. A change is written by
// go test ./internal/cli/registry -run TestThePageListsCapabilities -update
func TestThePageListsCapabilities(t *testing.T) {
	text, of := intro, ""
	var rows []string
	who := map[string][]string{}
	end := func() {
		for _, row := range rows {
			text += fmt.Sprintf("| %s | %s |\n", row, strings.Join(who[row], ", "))
		}
	}
	for _, p := range Capabilities() {
		if p.Of != of {
			end()
			of, rows, who = p.Of, all[p.Of], map[string][]string{}
			text += fmt.Sprintf("\n## %s\n\n| capability | of |\n|---|---|\n", titles[of])
		}
		for _, has := range p.Has {
			who[has] = append(who[has], "`"+p.Name+"`")
		}
	}
	end()
	if *update {
		if err := os.WriteFile(capabilitiesPage, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(capabilitiesPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(have)); diff != "" {
		t.Errorf("docs/capabilities.md (- registered, + page):\n%s", diff)
	}
}

// all lists the capabilities, and titles name their tables.
var (
	all = map[string][]string{
		"storage class": capability.Missing(storage.KindCapabilities{}), "engine": capability.Missing(app.Capabilities{}),
		"workload": capability.Missing(workload.Capabilities{}), "platform": capability.Missing(platform.KindCapabilities{}),
	}
	titles = map[string]string{"storage class": "Storage classes", "engine": "Engines", "workload": "Workloads", "platform": "Platforms"}
)

// A capability has a name of its own, and something has it.
func TestCapabilitiesHaveNames(t *testing.T) {
	had := map[string]bool{}
	for _, p := range Capabilities() {
		if len(p.Has)+len(p.Lacks) != len(all[p.Of]) {
			t.Errorf("%s %s has %q and lacks %q", p.Of, p.Name, p.Has, p.Lacks)
		}
		for _, has := range p.Has {
			had[p.Of+has] = true
		}
	}
	for of, names := range all {
		for n, name := range names {
			if slices.Contains(names[:n], name) || !had[of+name] {
				t.Errorf("%s: %q is twice in the list, or nothing has it", of, name)
			}
		}
	}
}

// A kind lists what its classes can do, whatever their parameters.
func TestKindsListWhatTheirClassesCanDo(t *testing.T) {
	of := map[string][]any{
		"disk":     {&disk.Parameters{Media: "hdd-7200", MountOptions: "noatime", Tier: &disk.Tier{Size: 1 << 30}}},
		"s3":       {&s3.Parameters{URLs: []string{"http://store.example:9000"}, AccessKeyEnv: "A", SecretKeyEnv: "S", Region: "r", Addressing: s3.Path}},
		"device":   {&device.Parameters{Devices: []string{"/dev/sdx"}, Destroy: true}},
		"external": {&external.Parameters{Text: "theirs"}},
	}
	for name, k := range Kinds() {
		parameters := of[name]
		if len(k.Validate(k.Defaults())) == 0 {
			parameters = append(parameters, k.Defaults())
		}
		for _, p := range parameters {
			class, err := k.New("one", p, storage.Env{RunID: "r"})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			listed := capability.Of(k.Capabilities().Class)
			for _, can := range capability.Of(class.Capabilities()) {
				if !slices.Contains(listed, can) {
					t.Errorf("%s can %q with %+v, and does not list it", name, can, p)
				}
			}
		}
		if len(parameters) == 0 {
			t.Errorf("%s: no parameters are tried", name)
		}
	}
}

// Whether an existing server lets a run in is asked only of one that a run can use.
func TestWhoAsksCanUse(t *testing.T) {
	for name, e := range Engines() {
		if can := e.Capabilities(); can.Ask != nil && can.Borrower == nil {
			t.Errorf("%s asks, and its capabilities are %q", name, capability.Of(can))
		}
	}
}
