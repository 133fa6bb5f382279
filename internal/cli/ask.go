package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/bundle"
	"plimsoll/internal/journal"
	"plimsoll/internal/regular"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/version"
	"plimsoll/internal/words"
)

type askOptions struct {
	runs   string
	output string
	rename bool
}

func newAskForHelp(s *State) *cobra.Command {
	o := &askOptions{}
	cmd := &cobra.Command{
		Use:   "ask-for-help [RUN]",
		Short: "Pack a run without its secrets, to send to somebody who helps",
		Long: `Ask-for-help packs a run (default: the newest) into a compressed tar: study, plan,
journal and results, its report as text, what plimsoll doctor finds here, and
versions. Whatever looks like a password, key or token is taken out; logs and the
evidence of failed audits stay here. CONTENTS.txt in it lists what is there and
what is not. Nothing is sent: look into the file, and send it yourself.

--rename replaces paths and the names and addresses of hosts by part-1, host-1 and
address-1, the same everywhere; telemetry is then left out. Names of variants,
volumes and databases stay.`,
		Example: "  plimsoll ask-for-help\n  plimsoll ask-for-help runs/20261121-101500-quickstart --rename -o help.tar.gz",
		Args:    maxArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return s.askForHelp(o, args) },
	}
	cmd.ValidArgsFunction = completeRuns(&o.runs, 1)
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	f.StringVarP(&o.output, "output", "o", "", "file to write (default plimsoll-help-RUN.tar.gz)")
	f.BoolVar(&o.rename, "rename", false, "replace paths and the names and addresses of hosts")
	return cmd
}

// packed is what was packed, as JSON.
type packed struct {
	File string `json:"file"` // the archive
	bundle.Packed
}

func (s *State) askForHelp(o *askOptions, args []string) error {
	run, err := openRun(o.runs, args)
	if err != nil {
		return err
	}
	if run.Dir == "" {
		return usage(fmt.Errorf("ask-for-help: %s is a published result, which everybody has", run.ID))
	}
	name := filepath.Base(absolute(run.Dir))
	file := firstOf(o.output, "plimsoll-help-"+name+".tar.gz")
	if o.rename && o.output == "" {
		file = "plimsoll-help.tar.gz" // the run's name may tell what it is about
	}
	if err := fitsName(file, "gzip"); err != nil {
		return err
	}
	added, err := s.besideRun(run)
	if err != nil {
		return err
	}
	out := packed{File: file}
	err = toPrivateFile(file, func(w io.Writer) (err error) {
		out.Packed, err = bundle.Write(w, bundle.Options{
			Dir: absolute(run.Dir), Name: name, Secrets: s.secretsOf(run), Rename: o.rename, Hosts: hostsOf(run), Added: added, Now: time.Now(),
		})
		return err
	})
	if err != nil {
		return err
	}
	if s.JSON {
		return s.printJSON(out)
	}
	s.printPacked(out)
	return nil
}

func (s *State) printPacked(p packed) {
	s.printWrapped("%s: %s", p.File, words.Count(len(p.Files), "file"))
	t := table{head: []string{"FILE", "BYTES"}, right: 1}
	for _, f := range p.Files {
		t.row(f.Name, fmt.Sprint(f.Bytes))
	}
	s.printTable(t)
	for _, l := range p.LeftOut {
		s.printWrapped("left out: %s (%s)", l.Name, l.Why)
	}
	s.printWrapped("\nSecrets were taken out in %s. Look into the file before you send it.", words.Count(p.Secrets, "place"))
}

// besideRun is what is packed with a run: its report, what doctor finds, and versions.
func (s *State) besideRun(run *result.Run) (map[string][]byte, error) {
	checks, err := s.checks(platformOptions{})
	if err != nil {
		return nil, err
	}
	added := map[string][]byte{}
	for name, v := range map[string]any{
		"doctor.json":   checks,
		"versions.json": map[string]string{"version": version.Get(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH},
	} {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, err
		}
		added[name] = append(text, '\n')
	}
	var text bytes.Buffer
	a, err := analysed(run, analysis.Options{Running: inProgress(run.Dir)}, named{})
	if a != nil {
		err = report.Terminal(&text, a, 80, false)
	}
	if err != nil { // which is what help is asked for
		fmt.Fprintf(&text, "\n%s\n", err)
	}
	added["report.txt"] = text.Bytes()
	return added, nil
}

// secretsOf are the secrets that are known of a run: the passwords of databases that it kept as
// evidence, and what its study takes from the environment or, where the run is this user's on
// this machine, from files.
func (s *State) secretsOf(run *result.Run) (all []string) {
	for _, evidence := range result.EvidenceDirs(run.Dir) {
		accounts, _ := filepath.Glob(filepath.Join(evidence, "*", "accounts.json"))
		for _, path := range accounts {
			if text, err := regular.Read(filepath.Dir(path), filepath.Base(path), largestInput); err == nil {
				all = append(all, bundle.SecretsIn(text)...)
			}
		}
	}
	text, err := regular.Read(run.Dir, result.PlanFile, 64*largestInput)
	if err != nil {
		return all
	}
	state, err := journal.Read(filepath.Join(run.Dir, result.JournalFile))
	ours := err == nil && strangers(run.Dir) == nil && !elsewhere(state)
	variables, files := bundle.SecretsNamed(text)
	for _, name := range variables {
		all = append(all, s.Getenv(name))
	}
	for _, name := range files {
		if !ours {
			break // a run of another user does not say what is read
		}
		if secret, err := regular.Secret(name); err == nil {
			all = append(all, strings.Split(secret, "\n")...)
		}
	}
	return all
}

// hostsOf are the machines of a run by name, and this one.
func hostsOf(run *result.Run) (all []string) {
	if here, err := os.Hostname(); err == nil {
		all = append(all, here)
	}
	if run.Machine != nil {
		all = append(all, run.Machine.Hostname)
	}
	for _, t := range run.Trials {
		for _, m := range t.Machines {
			all = append(all, m.Name)
		}
	}
	return all
}
