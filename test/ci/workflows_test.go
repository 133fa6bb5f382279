package ci

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// workflow is what the test reads of a file of .github/workflows.
type workflow struct {
	Jobs map[string]struct {
		Steps []step
	}
}

// makes is a step's only command: a target of the Makefile, as root or not.
var makes = regexp.MustCompile(`^(?:sudo --preserve-env env PATH="\$PATH" )?make ([a-z-]+)(?: [A-Z]+=[0-9]+)?$`)

// Workflows of GitHub do what developers do: each of their commands is one target of the Makefile.
func TestWorkflowsCallTargetsOfTheMakefile(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflow was found: %v", err)
	}
	for _, file := range files {
		for job, commands := range commandsOf(t, file) {
			for _, command := range commands {
				called := makes.FindStringSubmatch(command)
				if called == nil || !strings.Contains(string(makefile), "\n## "+called[1]+": ") {
					t.Errorf("%s: job %s runs %q, which is no described target of the Makefile", file, job, command)
				}
			}
			if len(commands) == 0 {
				t.Errorf("%s: job %s runs nothing", file, job)
			}
		}
	}
}

func commandsOf(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var read workflow
	if err := yaml.Unmarshal(text, &read); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	commands := map[string][]string{}
	for name, job := range read.Jobs {
		commands[name] = nil
		for _, s := range job.Steps {
			if s.Run != "" {
				commands[name] = append(commands[name], s.Run)
			}
		}
	}
	return commands
}
