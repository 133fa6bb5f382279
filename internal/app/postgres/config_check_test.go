package postgres

import (
	"strings"
	"testing"

	"plimsoll/internal/app"
)

func TestSettingsAreJudgedByTheServer(t *testing.T) {
	in, err := Engine{}.Find(t.Context(), "", true)
	if err != nil {
		t.Skip(err)
	}
	for name, c := range map[string]struct{ setting, value, reason, hint string }{
		"misspelt":          {"shared_bufers", "64MB", "has no setting shared_bufers", `did you mean "shared_buffers"?`},
		"impossible value":  {"fsync", "maybe", `parameter "fsync" requires a Boolean value`, ""},
		"out of range":      {"work_mem", "1kB", "work_mem", ""},
		"wrong unit":        {"work_mem", "4banana", `invalid value for parameter "work_mem"`, ""},
		"set by Plimsoll":   {"port", "5432", "Plimsoll sets port", "remove it"},
		"right":             {"work_mem", "8MB", "", ""},
		"of a missing part": {"no_such.setting", "1", "", ""}, // an extension may define it
	} {
		t.Run(name, func(t *testing.T) {
			found, err := Engine{}.CheckConfig(t.Context(), in, app.Config{Settings: map[string]string{c.setting: c.value}})
			if err != nil {
				t.Fatal(err)
			}
			if c.reason == "" {
				if len(found) > 0 {
					t.Errorf("refused: %v", found)
				}
				return
			}
			if len(found) != 1 || !strings.Contains(found[0].Reason, c.reason) || found[0].Hint != c.hint {
				t.Errorf("got %+v", found)
			}
		})
	}
}
