package model

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/unit"
)

// Payload is the throughput of a rung in MB/s; 0 where the work moves no bytes.
func (v *Variant) Payload(r *rung.Rung) float64 {
	if v.Work.Unit.Bytes {
		return v.Work.Unit.Payload(r.Throughput.Value)
	}
	return r.Payload.Value
}

// Parameter is a parameter of the workload, whether the matrix varies it or not;
// empty where it is not known.
func (v *Variant) Parameter(name string) string {
	if name == "" {
		return ""
	}
	return cmp.Or(v.Factors["workload.parameters."+name], ParameterText(v.Parameters, name))
}

// Figure is a parameter that is a size or a count; empty where it is none, or not known.
func (v *Variant) Figure(name string) string {
	if n, is := ParametersOf(v.Parameters)[name].(float64); is {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	text := v.Parameter(name)
	if _, _, is := LevelValue(text); !is {
		return ""
	}
	return text
}

// ParameterText is a parameter of a workload as its study writes it; empty where it is
// no text.
func ParameterText(parameters any, key string) string {
	text, _ := ParametersOf(parameters)[key].(string)
	return text
}

// ParametersOf are the parameters of a workload by name, as JSON has them.
func ParametersOf(parameters any) map[string]any {
	var fields map[string]any
	data, err := json.Marshal(parameters)
	if err != nil || json.Unmarshal(data, &fields) != nil {
		return nil
	}
	return fields
}

// LevelValue reads "16" or "32KB"; bytes says that it is a size.
func LevelValue(text string) (v float64, bytes, ok bool) {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v, false, stats.Plausible(v) && v > 0
	}
	size, err := unit.ParseBytes(text)
	return float64(size), true, err == nil && size > 0
}

// ParameterOf is the name of the workload's parameter that a factor varies, empty
// where it varies something else.
func ParameterOf(path string) string {
	name, is := strings.CutPrefix(path, "workload.parameters.")
	if !is {
		return ""
	}
	return name
}
