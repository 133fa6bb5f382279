package limit

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/whatif"
	"plimsoll/internal/text/words"
)

// predictionsText says what changes of what limits would do: "With disk loop0 twice as fast an order is
// predicted to take 21 ms at 5 instances (range 20–22 ms), with disk loop0 4 times as fast 15 ms."
//
// Needs: A cause of the time profile at a CPU or device; users of a closed loop (*N = X(R+Z)* within
// 25 %); stations whose network alone is at most 25 % slower than measured.
func predictionsText(v *model.Variant, f *model.Finding, noun string) string {
	var parts []string
	for i, p := range v.Predictions {
		text := say.F("with %s %s", changeText(p), words.Seconds(p.Response.Value))
		if i == 0 {
			text = say.F("With %s %s is predicted to take %s at %s", changeText(p), say.A(v.Work.Unit.Name), words.Seconds(p.Response.Value), say.Count(p.At, noun))
		}
		if low, high := words.Seconds(p.Response.Low), words.Seconds(p.Response.High); low != high {
			text += say.F(" (%s to %s)", low, high)
		}
		parts = append(parts, text)
		f.Numbers[say.F("predicted_%s_%d", p.Kind, p.Factor)] = p.Response.Value
	}
	if len(parts) == 0 {
		return ""
	}
	return say.Join(parts) + "."
}

// changeText describes the change.
func changeText(p whatif.Forecast) string {
	switch p.Kind {
	case whatif.WithoutWait:
		return say.F("no wait for %s", p.Wait)
	case whatif.MoreCPU:
		return say.F("%d times the cores", p.Factor)
	}
	return say.F("%s %d times as fast", p.Resource, p.Factor)
}
