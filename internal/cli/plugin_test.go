package cli

import (
	"bytes"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
)

// called runs a command line under another name of the program.
func (s *site) called(name string, args ...string) (stdout, stderr string) {
	s.T.Helper()
	var out, errs bytes.Buffer
	Main(&command.State{
		Context: s.T.Context(), Impatient: s.T.Context(), Called: name,
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(name string) string { return s.Env[name] },
	}, args)
	return out.String(), errs.String()
}

// As a plugin of kubectl the program names its commands as they are typed there, in
// usage, help, hints and errors.
func TestAsPluginOfKubectl(t *testing.T) {
	s := newSite(t)
	for args, want := range map[string]string{
		"help run":         "kubectl plimsoll run STUDY [flags]",
		"run --help":       "\n  kubectl plimsoll run quickstart\n",
		"--help":           "\n  kubectl plimsoll doctor ",
		"runn":             "did you mean: kubectl plimsoll run",
		"plan":             "usage: kubectl plimsoll plan STUDY",
		"run --bogus":      "kubectl plimsoll run --help lists its flags",
		"run":              "kubectl plimsoll studies lists the built-in studies",
		"runn --json":      "did you mean: kubectl plimsoll run",
		"help completions": `unknown command "completions"`,
	} {
		out, errs := s.called("/usr/local/bin/kubectl-plimsoll", strings.Fields(args)...)
		if !strings.Contains(out+errs, want) {
			t.Errorf("%s: %q is missing in\n%s%s", args, want, out, errs)
		}
		if strings.Contains(out+errs, "kubectl kubectl") {
			t.Errorf("%s: kubectl twice in\n%s%s", args, out, errs)
		}
	}
	if out, _ := s.called("/usr/local/bin/plimsoll", "run", "--help"); strings.Contains(out, "kubectl plimsoll") {
		t.Errorf("help of plimsoll speaks of kubectl:\n%s", out)
	}
}

// kubectl asks another program of the same directory what may come next.
func TestCompletionAsPluginOfKubectl(t *testing.T) {
	s := newSite(t)
	out, _ := s.called("/usr/local/bin/kubectl_complete-plimsoll", "stu")
	if !strings.HasPrefix(out, "studies\t") {
		t.Errorf("completion of stu: %s", out)
	}
}
