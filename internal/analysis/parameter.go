package analysis

import "encoding/json"

// parameterText reads one text parameter of a workload, whatever its type:
// a run read back from disk has maps where the study had structs.
func parameterText(parameters any, key string) string {
	if parameters == nil {
		return ""
	}
	data, err := json.Marshal(parameters)
	if err != nil {
		return ""
	}
	var fields map[string]any
	if json.Unmarshal(data, &fields) != nil {
		return ""
	}
	text, _ := fields[key].(string)
	return text
}
