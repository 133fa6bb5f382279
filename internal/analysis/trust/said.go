package trust

import "plimsoll/internal/text/words"

// Warn makes a warning of a text, whose numbers become its figures, and other operands its
// names.
func Warn(kind string, severity Severity, format string, args ...any) Warning {
	s := words.Say(format, args...)
	return Warning{Kind: kind, Severity: severity, Text: s.Text, Figures: s.Figures, Form: s.Form, Names: s.Names}
}

// Of is the warning of a trial.
func (w Warning) Of(trial string) Warning {
	w.Trial = trial
	return w
}

// warn makes a list of one warning.
func warn(kind string, severity Severity, format string, args ...any) []Warning {
	return []Warning{Warn(kind, severity, format, args...)}
}

func percent(share float64) words.Amount {
	return words.Amount{Value: share, Text: words.Percent(share)}
}
func seconds(v float64) words.Amount { return words.Amount{Value: v, Text: words.Seconds(v)} }
func figures(v float64) words.Amount { return words.Amount{Value: v, Text: words.Figures(v)} }
func sized(v float64) words.Amount   { return words.Amount{Value: v, Text: words.Bytes(v)} }
func countOf(n int, noun, plural string) words.Amount {
	return words.Amount{Value: float64(n), Text: words.CountOf(n, noun, plural)}
}
