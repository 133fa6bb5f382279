package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// Every argument and every flag's value has its proposals, or proposes nothing rather
// than files.
func TestEverythingIsCompleted(t *testing.T) {
	root := newRoot(newSite(t).State())
	for _, c := range commandsBelow(root) {
		if c.HasSubCommands() || c.Name() == "help" {
			continue
		}
		if c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 {
			t.Errorf("%s: arguments are not completed", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if _, completed := c.GetFlagCompletionFunc(f.Name); !completed && f.NoOptDefVal == "" && len(f.Annotations) == 0 {
				t.Errorf("%s --%s: values are not completed", c.CommandPath(), f.Name)
			}
		})
	}
}

func commandsBelow(c *cobra.Command) (all []*cobra.Command) {
	for _, below := range c.Commands() {
		all = append(append(all, below), commandsBelow(below)...)
	}
	return all
}

// Shells are told what may come next: studies, profiles, paths of a study, runs,
// variants, trials, published results, and files or directories only where they may be.
func TestWhatIsProposed(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.Write("small.yaml", small+"profiles:\n  tiny: {ladder: [1]}\n")
	if err := resulttest.Run("runs/a", []string{"hdd", "ssd"}, []int{1, 2}, 1, 5); err != nil {
		t.Fatal(err)
	}
	if err := resulttest.Run("runs/unfinished", []string{"hdd"}, []int{1}, 1, 5); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("runs/unfinished/trials/hdd/1/1"); err != nil {
		t.Fatal(err)
	}
	const files, directories, nothing = ":0", ":16", ":4"
	for line, want := range map[string]string{
		"plan ":                                 "quickstart " + files,
		"plan small.yaml ":                      nothing,
		"plan small.yaml --profile ":            "tiny " + nothing,
		"plan small.yaml --set eng":             "engine.memory= :6",
		"plan small.yaml --retries ":            nothing,
		"run ":                                  "cns-ds2 " + files,
		"run --resume ":                         "runs/unfinished " + files,
		"run quickstart --profile ":             nothing,
		"run quickstart --set ladder":           "ladder.auto.to= :6",
		"run quickstart --min-grade ":           "A B F " + nothing,
		"run quickstart --platform ":            "kubernetes local " + nothing,
		"run quickstart --work ":                directories,
		"run quickstart --name ":                nothing,
		"try ":                                  directories,
		"try --limit ":                          nothing,
		"report ":                               "runs/a reference/cns-ds2 " + files,
		"report runs/a --baseline ":             "runs/unfinished reference/cns-ds2 " + files,
		"report --set ":                         "objectives= prices= min_grade= :6",
		"report --output ":                      files,
		"report --format ":                      "html " + nothing,
		"show ":                                 "runs/a " + files,
		"show runs/a ":                          "hdd/1/1 ssd/2/1 " + nothing,
		"compare ":                              "runs/a reference/cns-ds2 " + files,
		"compare runs/a:":                       "runs/a:hdd runs/a:ssd " + nothing,
		"compare runs/a --fail-if ":             "> +5% " + nothing,
		"clean ":                                "runs/a runs/unfinished " + files,
		"clean runs/a ":                         "runs/unfinished " + files,
		"list ":                                 nothing,
		"list --runs ":                          directories,
		"doctor ":                               nothing,
		"doctor --platform ":                    "kubernetes " + nothing,
		"probe ":                                files,
		"probe x --study small.yaml --profile ": "tiny " + nothing,
		"size ":                                 files,
		"schema ":                               "report sizing " + nothing,
		"studies ":                              "quickstart ",
		"study ":                                "new " + nothing,
		"study new --application ":              "postgres video " + nothing,
		"study new --storage ":                  directories,
		"storage ":                              "up down list probe " + nothing,
		"storage up ":                           files,
		"storage up small.yaml --profile ":      "tiny " + nothing,
		"storage down ":                         nothing,
		"storage probe ":                        nothing,
		"version ":                              nothing,
		"image ":                                nothing,
		"man ":                                  directories,
	} {
		_, out, _ := s.plimsoll(append([]string{"__complete"}, strings.Split(line, " ")...)...)
		for _, part := range strings.Fields(want) {
			if !strings.Contains(out, part) {
				t.Errorf("%q: %q is missing in\n%s", line, part, out)
			}
		}
	}
}
