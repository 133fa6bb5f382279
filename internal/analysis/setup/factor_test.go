package setup

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/study"
)

func TestLevelsAreNumbersWhereAllAre(t *testing.T) {
	for _, c := range []struct {
		levels []string
		values []float64
		unit   string
	}{
		{[]string{"16", "4"}, []float64{4, 16}, ""},
		{[]string{"4KiB", "1MB"}, []float64{4096, 1e6}, "B"},
		{[]string{"4", "many"}, []float64{0, 0}, ""},
		{[]string{"0", "4"}, []float64{0, 0}, ""}, // nothing on a logarithmic axis
		{[]string{"NaN", "4"}, []float64{0, 0}, ""},
	} {
		f := model.Factor{Path: "x"}
		for _, level := range c.levels {
			addLevel(&f, study.Variant{Factors: map[string]string{"x": level}})
		}
		setValues(&f)
		var values []float64
		for _, l := range f.Levels {
			values = append(values, l.Value)
		}
		if !slices.Equal(values, c.values) || f.Unit != c.unit {
			t.Errorf("%v are %v in %q, want %v in %q", c.levels, values, f.Unit, c.values, c.unit)
		}
	}
}
