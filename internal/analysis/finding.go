package analysis

// findings are the conclusions, each with its numbers and trials.
func (s *subject) findings(a *Analysis) []Finding {
	var out []Finding
	for i := range a.Variants {
		v := &a.Variants[i]
		out = append(out, loadLineFinding(v))
		if f, ok := s.bottleneckFinding(v); ok {
			out = append(out, f)
		}
	}
	return out
}

// loadLineFinding states the line with the rungs on both sides of it.
func loadLineFinding(v *Variant) Finding {
	f := Finding{
		ID: "load-line-" + v.Name, Kind: "load-line", Variant: v.Name, Rung: v.LoadLine.Rung,
		Text: "`" + v.Name + "`: " + v.LoadLine.Text + ".",
		Numbers: map[string]float64{
			"count": v.LoadLine.Count.Value, "low": v.LoadLine.Count.Low, "high": v.LoadLine.Count.High,
		},
	}
	for _, n := range []int{v.LoadLine.Rung, v.LoadLine.Next} {
		if r := v.rung(n); r != nil {
			f.Trials = append(f.Trials, r.Trials...)
		}
	}
	return f
}
