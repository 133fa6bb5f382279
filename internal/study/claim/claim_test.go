package claim

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// table has the figures of a run by their name and variant.
type table map[string]Figure

func (t table) Figure(metric, variant string, at int) Figure {
	if f, ok := t[metric+" "+variant]; ok && at < 100 {
		return f
	}
	return Nothing(Missing{Why: NoRung, Variant: variant, Metric: metric, At: at})
}

var measured = table{
	"throughput ssd": {Value: 100, Low: 90, High: 110},
	"throughput hdd": {Value: 20, Low: 18, High: 22},
	"throughput lvm": {Value: 20, Open: true},
	"mean ssd":       {Value: 0.01, Low: 0.009, High: 0.012},
	"carries ssd":    {Value: 8, Low: 8, High: 9},
}

func TestOutcomes(t *testing.T) {
	for predicate, want := range map[string]Outcome{
		`throughput("ssd") > throughput("hdd")`:                                        Reproduced,
		`throughput("ssd", 8) / throughput("hdd", 8) >= 4`:                             Reproduced, // 90/22 = 4.09
		`throughput("ssd", 8) / throughput("hdd", 8) >= 5`:                             NotShown,
		`throughput("ssd", 8) >= 7 * throughput("hdd", 8)`:                             Contradicted,
		`throughput("ssd") < throughput("hdd")`:                                        Contradicted,
		`throughput("ssd") / throughput("hdd") - 1 >= percent(300)`:                    Reproduced,
		`throughput("ssd", 128) > throughput("hdd", 128)`:                              NotMeasured,
		`throughput("ssd") > throughput("lvm")`:                                        NotShown,
		`mean("ssd") <= ms(12)`:                                                        Reproduced,
		`mean("ssd") < ms(9)`:                                                          Contradicted,
		`carries("ssd") >= 8`:                                                          Reproduced,
		`carries("ssd") > 8`:                                                           NotShown,
		`mean("ssd") <= 1 and carries("ssd") >= 10`:                                    Contradicted,
		`mean("ssd") <= 1 and carries("ssd") >= 9`:                                     NotShown,
		`mean("ssd") <= 1 and carries("raid") >= 9`:                                    NotMeasured,
		`mean("ssd") <= 1 or carries("raid") >= 9`:                                     Reproduced,
		`mean("ssd") > 1 or carries("ssd") >= 10`:                                      Contradicted,
		`throughput("ssd") - 100 >= -10 && throughput("ssd") - 100 <= 10`:              Reproduced,
		`throughput("ssd") / (throughput("hdd") - 20) >= 1`:                            NotMeasured, // a division by zero
		`throughput("hdd") / (throughput("ssd") - 95) >= 0`:                            NotShown,    // by an interval around zero
		`(throughput("ssd") + throughput("hdd")) * 2 >= 3 * (50 + 20) + 100 / 100 - 1`: Reproduced,
	} {
		r, err := Judge(predicate, measured)
		if err != nil || r.Outcome != want {
			t.Errorf("%s: %s, want %s (%v)", predicate, r.Outcome, want, err)
		}
	}
}

// A claim lists its comparisons with both sides.
func TestComparisons(t *testing.T) {
	r, err := Judge(`throughput("ssd") / throughput("hdd") >= 4 and mean("ssd") < 1`, measured)
	if err != nil || len(r.Comparisons) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	c := r.Comparisons[0]
	if c.Left.Value != 5 || c.Operator != ">=" || c.Right != Exactly(4) || c.Left.Low >= 5 || c.Left.High <= 5 || c.Outcome != Reproduced {
		t.Errorf("%+v", c)
	}
}

func TestBadClaims(t *testing.T) {
	for predicate, want := range map[string]string{
		"":                                    "at character",
		"throughput(ssd-16) > 1":              "takes the name of a variant",
		`throughput("ssd")`:                   "compares figures",
		`"ssd" > 1 or 1 > 0`:                  "a figure is",
		`1 > 0 or true`:                       "compares figures",
		`throughput("ssd", "8") > 1`:          "takes the name of a variant and",
		`throughput("ssd", 4+4) > 1`:          "takes the name of a variant and",
		`throughput("ssd", 0) > 1`:            "takes the name of a variant and",
		`throughput() > 1`:                    "takes the name of a variant",
		`through("ssd") > 1`:                  "unknown function through",
		`ssd > 1`:                             "unknown name ssd",
		`throughput("ssd") == 5`:              "not with ==",
		`throughput("ssd") > 1 and 2`:         "compares figures",
		`throughput("ssd") >`:                 "at character",
		`len([1,2]) > 1`:                      "unknown function len",
		`carries("ssd", 8) > 1`:               "takes the name of a variant",
		`map(1..10, # * 2) > 1`:               "unknown function map",
		`mean("ssd") > 1 ? 1 > 0 : 2 > 1`:     "compares figures",
		`not (throughput("ssd") > 1)`:         "compares figures",
		`nil > 1`:                             "a figure is",
		`(2 > 1) > 1`:                         "a figure is",
		`throughput("ssd") % 2 > 1`:           "a figure is",
		strings.Repeat("(", 100000) + "1 > 0": "characters at most",
	} {
		err := Check(predicate)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40s: %v, want an error in a line with %q", predicate, err, want)
		}
	}
}

// An interval holds what the operation gives of any figures within its operands.
func TestIntervalsHold(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		figure := func(name string) (f Figure, within float64) {
			f.Low = rapid.Float64Range(-100, 100).Draw(r, name+" low")
			f.High = f.Low + rapid.Float64Range(0, 50).Draw(r, name+" width")
			f.Value = rapid.Float64Range(f.Low, f.High).Draw(r, name)
			return f, rapid.Float64Range(f.Low, f.High).Draw(r, name+" true")
		}
		a, x := figure("a")
		b, y := figure("b")
		for name, c := range map[string]struct {
			figure Figure
			truth  float64
		}{"+": {plus(a, b), x + y}, "-": {minus(a, b), x - y}, "*": {times(a, b), x * y}, "/": {divided(a, b), x / y}} {
			if f := c.figure; f.Missing == nil && !f.Open && (c.truth < f.Low-1e-9 || c.truth > f.High+1e-9) {
				r.Errorf("%s: %g is not in %+v", name, c.truth, f)
			}
		}
	})
}

func FuzzClaim(f *testing.F) {
	f.Add(`throughput("ssd", 8) / throughput("hdd", 8) >= 5 and mean("x") < ms(5)`)
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = Judge(text, measured)
	})
}
