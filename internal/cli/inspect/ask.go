package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/report"
	"plimsoll/internal/report/supportbundle"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/version"
	"plimsoll/internal/text/words"
)

type askOptions struct {
	runs     string
	output   string
	withLogs bool
	rename   bool
	yes      bool
}

func newAskForHelp(s *command.State) *cobra.Command {
	o := &askOptions{}
	cmd := &cobra.Command{
		Use:   "ask-for-help [RUN]",
		Short: "Pack a run without what is yours, to send to somebody who helps",
		Long: `Ask-for-help packs a run (default: the newest) into a compressed tar: plan, machine,
journal and results, what plimsoll doctor finds here, and versions. Of these it
packs what is known to be harmless: numbers, times, and words of Plimsoll's own.
Your names and texts are replaced by name-1 and text-1, the same everywhere.
CONTENTS.txt in it lists what is there and what is not. Nothing is sent: look into
the file, and send it yourself.

--with-logs packs the texts, too: study, report, logs, messages of errors and
telemetry. What looks like a password, key or token is taken out of them, which
finds many secrets and not all; so it lists first what would be packed, and asks.
With --rename, paths and the names and addresses of hosts are then replaced, and
telemetry is left out. The evidence of failed audits always stays here.`,
		Example: "  plimsoll ask-for-help\n  plimsoll ask-for-help runs/20261121-101500-quickstart --with-logs --rename -o help.tar.gz",
		Args:    command.MaxArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return askForHelp(s, o, args) },
	}
	cmd.ValidArgsFunction = rundir.Complete(&o.runs, 1)
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	f.StringVarP(&o.output, "output", "o", "", "file to write, which must not exist (default plimsoll-help-TIME.tar.gz)")
	f.BoolVar(&o.withLogs, "with-logs", false, "pack study, report, logs, messages and telemetry as well")
	f.BoolVar(&o.rename, "rename", false, "with --with-logs, replace paths and the names and addresses of hosts")
	f.BoolVar(&o.yes, "yes", false, "with --with-logs, do not ask")
	return cmd
}

// packed is what was packed, as JSON.
type packed struct {
	File string `json:"file"` // the archive
	supportbundle.Summary
}

func askForHelp(s *command.State, o *askOptions, args []string) error {
	if !o.withLogs && (o.rename || o.yes) {
		return command.Usage(errors.New("ask-for-help: --rename and --yes are about what --with-logs packs; without it every name is replaced"))
	}
	run, err := rundir.Open(o.runs, args)
	if err != nil {
		return err
	}
	if run.Dir == "" {
		return command.Usage(fmt.Errorf("ask-for-help: %s is a published result, which everybody has", run.ID))
	}
	now := time.Now()
	out := packed{File: cmp.Or(o.output, "plimsoll-help-"+now.Format("20060102-150405")+".tar.gz")}
	if err := command.FitsName(out.File, "gzip"); err != nil {
		return err
	}
	var text bytes.Buffer
	if out.Summary, err = packRun(s, &text, o, run, now); err != nil {
		return err
	}
	if o.withLogs && !o.yes {
		if err := agreeToPack(s, out); err != nil {
			return err
		}
	}
	if err := writeNew(out.File, text.Bytes()); err != nil {
		return err
	}
	if s.JSON {
		return s.PrintJSON(out)
	}
	printPacked(s, o, out)
	return nil
}

// packRun packs a run.
func packRun(s *command.State, to io.Writer, o *askOptions, run *result.Run, now time.Time) (supportbundle.Summary, error) {
	own, err := ownWords()
	if err != nil {
		return supportbundle.Summary{}, err
	}
	b := supportbundle.Options{
		Dir: command.Absolute(run.Dir), Name: filepath.Base(command.Absolute(run.Dir)), Shapes: shapes, Words: own, Histogram: result.CanonicalHistogram,
		Texts: o.withLogs, Rename: o.rename, Now: now,
	}
	if b.Added, b.Ours, err = besideRun(s, run, o.withLogs); err != nil {
		return supportbundle.Summary{}, err
	}
	if o.withLogs {
		b.Secrets, b.Hosts = secretsOf(s, run), hostsOf(run)
	}
	return supportbundle.Write(to, b)
}

// agreeToPack shows what would be packed and asks.
func agreeToPack(s *command.State, p packed) error {
	for _, f := range p.Files {
		fmt.Fprintf(s.Stderr, "%10d  %s\n", f.Bytes, f.Name)
	}
	s.Complain("Secrets were found and taken out in %s; others may be left in these texts.", words.Count(p.Secrets, "place"))
	what := "pack these texts into " + p.File
	if s.Agreed(what) {
		return nil
	}
	return command.WithCode(errors.New("will not "+what+": nobody agreed"), command.ExitCannotRun, "leave out --with-logs, or agree with --yes")
}

// writeNew writes a file that was not there before and that only its owner can read.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return command.WithCode(fmt.Errorf("write %s: it exists", path), command.ExitUsage, "name another file with -o")
	}
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write the archive: %w", mounts.NameFull(err, path)), os.Remove(path))
	}
	return nil
}

func printPacked(s *command.State, o *askOptions, p packed) {
	s.PrintWrapped("%s: %s", p.File, words.Count(len(p.Files), "file"))
	t := command.Table{Head: []string{"FILE", "BYTES"}, Right: 1}
	for _, f := range p.Files {
		t.Row(f.Name, fmt.Sprint(f.Bytes))
	}
	s.PrintTable(t)
	for _, l := range p.LeftOut {
		s.PrintWrapped("left out: %s (%s)", l.Name, l.Why)
	}
	if o.withLogs {
		s.PrintWrapped("\nSecrets were taken out in %s. Look into the file before you send it.", words.Count(p.Secrets, "place"))
		return
	}
	s.PrintWrapped("\nNames and texts were replaced in %s.", words.Count(p.Replaced, "place"))
}

// shapes gives the types of the files of a run, and of the files packed with it.
var shapes = supportbundle.Shapes{
	result.PlanFile:    func() any { return new(plan.Plan) },
	result.MachineFile: func() any { return new(result.Machine) },
	result.JournalFile: func() any { return new(journal.Entry) },
	result.TrialFile:   func() any { return new(result.Tile) },
	result.AuditFile:   func() any { return new(result.Audit) },
	result.RecordsFile: func() any { return new(result.Record) },
	"doctor.json":      func() any { return new([]doctor.Check) },
}

// ownWords are what files of runs may say that is Plimsoll's own: what its studies and reports may
// be made of, metrics, kinds and states.
func ownWords() ([]string, error) {
	own := []string{
		string(result.Passed), string(result.Failed), string(result.Ramp), string(result.Warmup), string(result.Measure),
		result.Cloned, result.InPlace, "db", "driver", "making", "made", "removed", "note", "run-started", "trial-started", "trial-finished", "run-finished",
		"provision", "start", "drive", "audit", "teardown", "installed", "embedded", "existing", "linux", runtime.GOARCH,
	}
	for _, k := range []result.RecordKind{result.KindOperation, result.KindDriver, result.KindInstance, result.KindWaiting, result.KindBegan, result.KindFinished, result.KindCeiling, result.KindEvent, result.KindEnd} {
		own = append(own, string(k))
	}
	for _, k := range giveback.Owners(registry.Parts(), nil).Kinds() {
		own = append(own, string(k))
	}
	for _, m := range telemetry.Metrics() {
		own = append(own, m.Kind, m.Name, m.Unit)
	}
	for _, s := range []doctor.Status{doctor.OK, doctor.Warn, doctor.Fail} {
		own = append(own, string(s))
	}
	of, err := study.Schema(facts.Vocabulary(registry.Parts()))
	if err != nil {
		return nil, err
	}
	var schema any
	if err := json.Unmarshal(of, &schema); err != nil {
		return nil, err
	}
	return schemaWords(schema, own), nil
}

// schemaWords adds the names of properties and the values of enumerations of a JSON Schema.
func schemaWords(schema any, own []string) []string {
	switch schema := schema.(type) {
	case []any:
		for _, each := range schema {
			own = schemaWords(each, own)
		}
	case map[string]any:
		for key, each := range schema {
			properties, _ := each.(map[string]any)
			if key == "properties" {
				own = slices.AppendSeq(own, maps.Keys(properties))
			}
			if values, ok := each.([]any); ok && key == "enum" {
				for _, v := range values {
					if word, ok := v.(string); ok {
						own = append(own, word)
					}
				}
			}
			if word, ok := each.(string); ok && key == "const" {
				own = append(own, word)
			}
			own = schemaWords(each, own)
		}
	}
	return own
}

// besideRun returns the files packed with a run: the findings of doctor and, with texts, the
// run's report. The file of versions comes separately, in ours.
func besideRun(s *command.State, run *result.Run, texts bool) (added, ours map[string][]byte, err error) {
	checks, err := Checks(s, place.Options{})
	if err != nil {
		return nil, nil, err
	}
	doctors, err := json.MarshalIndent(checks, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	versions, err := json.MarshalIndent(map[string]string{"version": version.Get(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	added = map[string][]byte{"doctor.json": append(doctors, '\n')}
	ours = map[string][]byte{"versions.json": append(versions, '\n')}
	if !texts {
		return added, ours, nil
	}
	var text bytes.Buffer
	a, err := results.Analyse(run, analysis.Options{Running: rundir.InProgress(run.Dir)})
	if a != nil {
		err = report.Terminal(&text, a, 80, false)
	}
	if err != nil { // which is what help is asked for
		fmt.Fprintf(&text, "\n%s\n", err)
	}
	added["report.txt"] = text.Bytes()
	return added, ours, nil
}

// secretsOf are the secrets that are known of a run: the passwords of databases that it kept as
// evidence, and what its study takes from the environment or, where the run is this user's on
// this machine, from files.
func secretsOf(s *command.State, run *result.Run) (all []string) {
	for _, evidence := range result.EvidenceDirs(run.Dir) {
		accounts, _ := filepath.Glob(filepath.Join(evidence, "*", "accounts.json"))
		for _, path := range accounts {
			if text, err := untrusted.Read(filepath.Dir(path), filepath.Base(path), untrusted.MostInput); err == nil {
				all = append(all, supportbundle.SecretsIn(text)...)
			}
		}
	}
	text, err := untrusted.Read(run.Dir, result.PlanFile, untrusted.MostDocument)
	if err != nil {
		return all
	}
	state, err := journal.Read(filepath.Join(run.Dir, result.JournalFile))
	ours := err == nil && rundir.CheckOwner(run.Dir) == nil && !rundir.Elsewhere(state)
	variables, files := supportbundle.SecretsNamed(text)
	for _, name := range variables {
		all = append(all, s.Getenv(name))
	}
	for _, name := range files {
		if !ours {
			break // another user's run must not choose which files are read
		}
		if secret, err := untrusted.Secret(name); err == nil {
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
