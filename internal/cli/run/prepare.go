package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/next"
	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/describe"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/owner"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/version"
	"plimsoll/internal/text/words"
)

// askAgain asks existing servers whether a run that goes on can use them still: a plan that
// was just made has asked them, and a run that has all its trials needs none.
func askAgain(s *command.State, parts facts.Parts, o *runOptions, run campaign.Options) error {
	info, known := result.Info(run.Dir)
	if o.resume == "" || known && info.Finished && !o.retry {
		return nil
	}
	problems, err := facts.AskAgain(s.Context, parts, run.Plan, run.RunID, asking(s))
	if err != nil {
		return err
	}
	return refuse(problems)
}

// preparedRun is a run directory that is locked and ready to go.
type preparedRun struct {
	options campaign.Options
	run     *rundir.Claimed
}

func prepareRun(s *command.State, parts facts.Parts, o *runOptions, args []string) (preparedRun, error) {
	var p *plan.Plan
	var text []byte
	var err error
	if o.resume != "" {
		if o.resume, err = rundir.Find(o.runs, o.resume); err != nil {
			return preparedRun{}, err
		}
		p, text, err = resumePlan(o)
	} else {
		o.site = site(s, o.work, o.cache, o.runs)
		p, text, err = makePlan(s.Context, s, parts, o.studyOptions, args[0], facts.FetchIf(!o.noFetch))
		text = noted(text, o.set)
	}
	if err != nil {
		return preparedRun{}, err
	}
	return readyRun(s, o, p, text)
}

// readyRun takes a run directory for a plan.
func readyRun(s *command.State, o *runOptions, p *plan.Plan, text []byte) (preparedRun, error) {
	if err := refuse(p.Problems); err != nil {
		return preparedRun{}, err
	}
	next, err := o.next(p)
	if err != nil {
		return preparedRun{}, err
	}
	dir := cmp.Or(o.resume, o.newDir(p))
	if err := nameable(dir, "--runs"); err != nil {
		return preparedRun{}, err
	}
	baseline, err := results.BaselineOf(o.runs, p.Study.Baseline)
	if err != nil {
		return preparedRun{}, err
	}
	err = errors.Join(writable(s.WorkDir(o.work), "--work"), writable(s.CacheDir(o.cache), "--cache"), ownPlace(dir, "--runs"))
	if err != nil {
		return preparedRun{}, err
	}
	run, err := takeRun(s, o, dir)
	if err != nil {
		return preparedRun{}, err
	}
	if baseline != nil && o.resume == "" {
		if err := result.KeepBaseline(dir, baseline); err != nil {
			run.Release()
			return preparedRun{}, err
		}
	}
	options := campaignOptions(s, o, p, text, run)
	options.Next = next
	return preparedRun{options: options, run: run}, nil
}

// takeRun claims a new run directory, or the directory of a resumed run after cleaning up what
// its interruption left.
func takeRun(s *command.State, o *runOptions, dir string) (*rundir.Claimed, error) {
	run, err := rundir.Claim(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case o.resume != "":
		if err = mayResume(s, run, o); err == nil {
			err = clearForResume(s, run, o.retry)
		}
	case command.Exists(filepath.Join(dir, result.PlanFile)):
		err = command.WithCode(fmt.Errorf("%s already holds a run", dir), command.ExitUsage,
			"choose another --name, or continue it with: plimsoll run --resume "+words.Shell(dir))
	}
	if err != nil {
		run.Release()
		return nil, err
	}
	return run, nil
}

// next chooses the trials that come after the planned ones.
func (o *runOptions) next(p *plan.Plan) (next.Chooser, error) {
	if o.decide {
		decide, err := next.Decide(p)
		if err != nil {
			return nil, command.Usage(err)
		}
		return next.Accurate(p, decide, boundOf), nil
	}
	return next.Accurate(p, next.Search(p), boundOf), nil
}

// boundOf is how far the answer of a run may be off.
func boundOf(run *result.Run) *analysis.AnswerBound {
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		return nil
	}
	return a.Bound
}

// refuse turns the plan's problems into one error.
func refuse(problems []describe.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	var what, hints []string
	for _, problem := range problems {
		what = append(what, problem.Text)
		if problem.Hint != "" && !slices.Contains(hints, problem.Hint) {
			hints = append(hints, problem.Hint)
		}
	}
	return command.CannotRun(fmt.Errorf("the study cannot run here: %s", strings.Join(what, "; ")), strings.Join(hints, "\n"))
}

// newDir returns the directory of a new run: the given name, or an unused one from the current
// second.
func (o *runOptions) newDir(p *plan.Plan) string {
	if o.name != "" {
		return filepath.Join(o.runs, o.name)
	}
	first := filepath.Join(o.runs, time.Now().Format("20060102-150405")+"-"+p.Study.Name)
	dir := first
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); err != nil { // what else is wrong shows when it is made
			return dir
		}
		dir = fmt.Sprintf("%s-%d", first, n)
	}
}

func campaignOptions(s *command.State, o *runOptions, p *plan.Plan, text []byte, run *rundir.Claimed) campaign.Options {
	return campaign.Options{
		Plan: p, Dir: run.Dir, RunID: run.ID, StudyText: text,
		Scratch:    filepath.Join(s.WorkDir(o.work), journal.Name(run.ID)),
		Cache:      s.CacheDir(o.cache),
		CacheLimit: int64(o.cacheLimit),
		Executable: s.Executable,
		Fetch:      !o.noFetch,
		ErrorLimit: o.errorLimit,
		Machine:    machineOf(s.Context, registry.Parts()),
		Resume:     o.resume != "",
		Again:      next.Retry(p, o.retries),
		Patience:   s.Impatient,
	}
}

func machineOf(ctx context.Context, parts facts.Parts) result.Machine {
	m := machine.Inventory(ctx, registry.Checkers(parts))
	m.Plimsoll = version.Get()
	return m
}

// writable says before anything is made that a directory cannot be written to.
func writable(dir, flag string) error {
	if err := nameable(dir, flag); err != nil {
		return err
	}
	if err := machine.Writable(dir); err != nil {
		return command.CannotRun(fmt.Errorf("write to %s: %w", dir, err), "choose another place with "+flag)
	}
	return ownPlace(dir, flag)
}

// ownPlace refuses a directory in which another user could replace the run's files.
func ownPlace(dir, flag string) error {
	if err := safefile.Prove(dir); err != nil {
		return command.CannotRun(fmt.Errorf("work in %s: %w", dir, err),
			"choose another place with "+flag+"; in a container that nobody else has processes in, set "+owner.AloneVariable+"=1")
	}
	return nil
}

// nameable refuses a directory whose path cannot be written in a line of a log or of a
// server's configuration.
func nameable(dir, flag string) error {
	if strings.ContainsFunc(dir, unicode.IsControl) {
		return command.Usage(fmt.Errorf("%s: %q has a control character, such as a newline: choose a directory without", flag, dir))
	}
	return nil
}
