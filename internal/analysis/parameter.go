package analysis

import (
	"encoding/json"
	"strconv"
)

// parameterText is a parameter of a workload as its study writes it; empty where it is
// no text.
func parameterText(parameters any, key string) string {
	text, _ := parametersOf(parameters)[key].(string)
	return text
}

// parametersOf are the parameters of a workload by name, as JSON has them.
func parametersOf(parameters any) map[string]any {
	var fields map[string]any
	data, err := json.Marshal(parameters)
	if err != nil || json.Unmarshal(data, &fields) != nil {
		return nil
	}
	return fields
}

// figure is a parameter that is a size or a count; empty where it is none, or not known.
func (v *Variant) figure(name string) string {
	if n, is := parametersOf(v.parameters)[name].(float64); is {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	text := v.parameter(name)
	if _, _, is := levelValue(text); !is {
		return ""
	}
	return text
}
