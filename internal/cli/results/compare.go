package results

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/grade"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
)

type compareOptions struct {
	runs     string
	failIf   []string
	alpha    float64
	effect   float64
	margin   string
	minGrade string
	output   string
}

func newCompare(s *command.State) *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say whether B is better, worse or no different from A",
		Long: `Compare compares two runs or two variants (RUN:VARIANT). It gives one verdict each for the load line,
throughput and response time over all common rungs, and states the smallest
change that it could have detected. All other metrics are listed with their
intervals. At least two repetitions of each rung are needed.

A run and a published result (reference/NAME) are compared in shape: each side is
relative to its own first common rung, and the best rung of each variant to that of
the first, because absolute figures of other hardware cannot be compared.

A --fail-if condition holds if the whole interval of the change is beyond the
limit, or if every trial of B failed at a rung at which all of A passed. It passes
if at no rung the change can lie beyond the margin, which is the limit unless
--margin is wider. Otherwise the comparison is inconclusive, and says how many
repetitions would decide, and which margin these trials would pass.

Exit codes: 0 compared; 2 they cannot be compared; 5 the trials are graded below
--min-grade; 6 a --fail-if condition holds; 8 inconclusive.`,
		Example: `  plimsoll compare runs/before runs/after
  plimsoll compare runs/x:hdd runs/x:ssd
  plimsoll compare runs/before runs/after --fail-if "p95 > +5%" --fail-if "throughput < -3%"
  plimsoll compare runs/before runs/after --fail-if "throughput < -3%" --margin 6%
  plimsoll compare runs/x reference/NAME
  plimsoll compare runs/before runs/after -o difference.html`,
		Args: command.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return compareSides(s, o, args) },
	}
	cmd.ValidArgsFunction = completeSides(&o.runs)
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	f.StringArrayVar(&o.failIf, "fail-if", nil, `exit with code 6 if this holds, such as "p95 > +5%"; may be repeated`)
	f.StringVar(&o.margin, "margin", "", "change that may be left open where a condition passes, such as 5%; default: the limit")
	f.StringVarP(&o.output, "output", "o", "", "also write the comparison as an HTML page to this file")
	f.Float64Var(&o.alpha, "alpha", 0.05, "chance of reporting a difference where there is none")
	f.Float64Var(&o.effect, "effect", 0.1, "smallest relative change that matters")
	f.StringVar(&o.minGrade, "min-grade", "D", "lowest grade (A to F) of the trials at which a verdict is given")
	return cmd
}

func compareSides(s *command.State, o *compareOptions, args []string) error {
	if o.alpha <= 0 || o.alpha >= 1 {
		return command.Usage(fmt.Errorf("--alpha must be between 0 and 1, such as 0.05, got %v", o.alpha))
	}
	if o.effect <= 0 {
		return command.Usage(fmt.Errorf("--effect must be a relative change above 0, such as 0.1, got %v", o.effect))
	}
	if err := CheckGrade("compare", o.minGrade); err != nil {
		return err
	}
	if err := command.FitsName(o.output, "html"); err != nil {
		return err
	}
	conditions, err := parseConditions(o.failIf)
	if err != nil {
		return command.Usage(err)
	}
	margin, err := parseMargin(o.margin)
	if err != nil {
		return command.Usage(err)
	}
	a, err := openSide(o.runs, args[0])
	if err != nil {
		return err
	}
	b, err := openSide(o.runs, args[1])
	if err != nil {
		return err
	}
	c, err := compare.Runs(a, b, compare.Options{Alpha: o.alpha, Effect: o.effect, Margin: margin, MinGrade: o.minGrade, FailIf: conditions})
	var refused *grade.RefusedError
	if err != nil && !errors.As(err, &refused) {
		return command.Usage(err)
	}
	if err := printComparison(s, c, o.output); err != nil {
		return err
	}
	if refused != nil && s.JSON {
		return command.Silent(command.ExitRefused) // the grades are in what was printed
	}
	return outcome(c, refused)
}

// outcome is the exit code of a comparison that was printed. With conditions they
// are what was asked; without, whether there is a difference.
func outcome(c *compare.Comparison, refused *grade.RefusedError) error {
	switch {
	case refused != nil:
		return command.WithCode(refused, command.ExitRefused, "read what lowers the grades: "+strings.Join(warning.Named(refused.Reasons), "; ")+"; or lower --min-grade")
	case len(c.Failed) > 0:
		return command.Silent(command.ExitDifferent)
	case c.Inconclusive():
		return command.Silent(command.ExitInconclusive)
	}
	return nil
}

func printComparison(s *command.State, c *compare.Comparison, page string) error {
	if page != "" {
		if err := command.ToFile(page, func(w io.Writer) error { return report.ComparisonHTML(w, c) }); err != nil {
			return err
		}
	}
	if s.JSON {
		return s.PrintJSON(c)
	}
	return report.Comparison(s.Stdout, c, s.Columns())
}

func parseConditions(texts []string) ([]family.Condition, error) {
	var all []family.Condition
	for _, text := range texts {
		c, err := family.ParseCondition(text)
		if err != nil {
			return nil, fmt.Errorf("--fail-if: %w", err)
		}
		all = append(all, c)
	}
	return all, nil
}

// parseMargin reads "5%"; without text there is none.
func parseMargin(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	number, isShare := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !isShare || !(v > 0 && v <= 100) {
		return 0, fmt.Errorf("--margin must be a change above 0 %% and up to 100 %%, such as 5%%, got %q", text)
	}
	return v / 100, nil
}

// openSide reads RUN or RUN:VARIANT.
func openSide(runs, arg string) (compare.Side, error) {
	name, variant := arg, ""
	if cut := strings.LastIndexByte(arg, ':'); cut > 0 && !command.Exists(arg) {
		name, variant = arg[:cut], arg[cut+1:]
	}
	run, err := rundir.OpenLean(runs, []string{name})
	if err != nil {
		return compare.Side{}, err
	}
	if err := hasVariant(run, variant); err != nil {
		return compare.Side{}, err
	}
	return compare.Side{Run: run, Variant: variant, Label: arg}, nil
}

// hasVariant says whether the run measured a variant; without a name, any will
// do.
func hasVariant(run *result.Run, name string) error {
	have := variantsOf(run)
	if name == "" || slices.Contains(have, name) {
		return nil
	}
	return command.WithCode(fmt.Errorf("run %s has no variant %q; it has %s", run.ID, name, strings.Join(have, ", ")), command.ExitUsage,
		strings.TrimSpace(command.DidYouMean(name, have)))
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
