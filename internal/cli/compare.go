package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
)

type compareOptions struct {
	runs   string
	failIf []string
	alpha  float64
	output string
}

func newCompare(s *State) *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say whether B is better, worse or no different from A",
		Long: `Compare holds two runs against each other, or two variants (RUN:VARIANT), or a
run and a published result (reference/cns-ds2): for every rung, operation and
percentile the difference of the medians with its interval and a non-parametric
test. It needs at least four repetitions on each side to show a difference.

Exit codes: 0 compared; 2 they cannot be compared; 6 a --fail-if condition holds.`,
		Example: `  plimsoll compare runs/before runs/after
  plimsoll compare runs/x:hdd runs/x:ssd
  plimsoll compare runs/before runs/after --fail-if "p95 > +5%" --fail-if "throughput < -3%"
  plimsoll compare runs/before runs/after -o difference.html`,
		Args: exactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return s.compare(o, args) },
	}
	cmd.ValidArgsFunction = completeSides(&o.runs)
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	f.StringArrayVar(&o.failIf, "fail-if", nil, `end with exit code 6 if this holds, such as "p95 > +5%"; may be repeated`)
	f.StringVarP(&o.output, "output", "o", "", "write the comparison as an HTML page to this file, too")
	f.Float64Var(&o.alpha, "alpha", 0.05, "level of the test")
	return cmd
}

func (s *State) compare(o *compareOptions, args []string) error {
	if o.alpha <= 0 || o.alpha >= 1 {
		return usage(fmt.Errorf("--alpha is a probability between 0 and 1, such as 0.05, not %v", o.alpha))
	}
	conditions, err := parseConditions(o.failIf)
	if err != nil {
		return usage(err)
	}
	a, err := openSide(o.runs, args[0])
	if err != nil {
		return err
	}
	b, err := openSide(o.runs, args[1])
	if err != nil {
		return err
	}
	c, err := analysis.Compare(a, b, analysis.CompareOptions{Alpha: o.alpha, FailIf: conditions})
	if err != nil {
		return usage(err)
	}
	if err := s.printComparison(c, o.output); err != nil {
		return err
	}
	if len(c.Failed) > 0 {
		return silent(exitDifferent)
	}
	return nil
}

func (s *State) printComparison(c *analysis.Comparison, page string) error {
	if page != "" {
		if err := toFile(page, func(w io.Writer) error { return report.ComparisonHTML(w, c) }); err != nil {
			return err
		}
	}
	if s.JSON {
		return s.printJSON(c)
	}
	return report.Comparison(s.Stdout, c, s.width())
}

func parseConditions(texts []string) ([]analysis.Condition, error) {
	var all []analysis.Condition
	for _, text := range texts {
		c, err := analysis.ParseCondition(text)
		if err != nil {
			return nil, fmt.Errorf("--fail-if: %w", err)
		}
		all = append(all, c)
	}
	return all, nil
}

// openSide reads RUN or RUN:VARIANT.
func openSide(runs, arg string) (analysis.Side, error) {
	name, variant := arg, ""
	if cut := strings.LastIndexByte(arg, ':'); cut > 0 && !exists(arg) {
		name, variant = arg[:cut], arg[cut+1:]
	}
	run, err := openRun(runs, []string{name})
	if err != nil {
		return analysis.Side{}, err
	}
	if err := hasVariant(run, variant); err != nil {
		return analysis.Side{}, err
	}
	return analysis.Side{Run: run, Variant: variant, Label: arg}, nil
}

// hasVariant says whether the run measured a variant; without a name, any will
// do.
func hasVariant(run *result.Run, name string) error {
	have := variantsOf(run)
	if name == "" || slices.Contains(have, name) {
		return nil
	}
	return usage(fmt.Errorf("run %s has no variant %q; it has %s", run.ID, name, strings.Join(have, ", ")))
}

// variantsOf lists the variants that a run measured, in order of appearance.
func variantsOf(run *result.Run) []string {
	var all []string
	for _, t := range run.Trials {
		if !slices.Contains(all, t.Variant.Name) {
			all = append(all, t.Variant.Name)
		}
	}
	return all
}
