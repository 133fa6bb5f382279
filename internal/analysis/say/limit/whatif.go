package limit

import (
	"fmt"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/whatif"
	"plimsoll/internal/text/words"
)

// predictionsText says what changes of what limits would do: "With disk loop0 twice as fast an order is
// predicted to take 21 ms at 5 instances (range 20–22 ms), with disk loop0 4 times as fast 15 ms."
func predictionsText(v *model.Variant, f *model.Finding, noun string) string {
	var parts []string
	for i, p := range v.Predictions {
		text := fmt.Sprintf("with %s %s", changeText(p), words.Seconds(p.Response.Value))
		if i == 0 {
			text = fmt.Sprintf("With %s %s is predicted to take %s at %s", changeText(p), words.A(v.Work.Unit.Name), words.Seconds(p.Response.Value), words.Count(p.At, noun))
		}
		if low, high := words.Seconds(p.Response.Low), words.Seconds(p.Response.High); low != high {
			text += fmt.Sprintf(" (%s to %s)", low, high)
		}
		parts = append(parts, text)
		f.Numbers[fmt.Sprintf("predicted_%s_%d", p.Kind, p.Factor)] = p.Response.Value
	}
	if len(parts) == 0 {
		return ""
	}
	return words.Join(parts) + "."
}

// changeText describes the change.
func changeText(p whatif.Forecast) string {
	switch p.Kind {
	case whatif.WithoutWait:
		return "no wait for " + p.Wait
	case whatif.MoreCPU:
		return fmt.Sprintf("%d times the cores", p.Factor)
	}
	return fmt.Sprintf("%s %d times as fast", p.Resource, p.Factor)
}
