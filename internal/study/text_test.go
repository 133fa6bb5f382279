package study_test

import (
	"strings"
	"testing"

	"plimsoll/internal/study"
)

// What editors and other tools put around a YAML document changes nothing.
func TestDocumentMarks(t *testing.T) {
	for _, text := range []string{
		"%YAML 1.2\n---\n" + good,
		"# of a tool\n%YAML 1.2\n--- # begins\n" + good + "...\n",
		"%TAG ! tag:example.com,2026:\n---\n" + good,
		"---\n" + good + "---\n",
		"\ufeff%YAML 1.1\n---\n" + good,
		"\ufeff" + strings.ReplaceAll("%YAML 1.2\n---\n"+good, "\n", "\r\n"),
	} {
		if s, err := study.Parse("shop.yaml", []byte(text), "", vocabulary()); err != nil || s.Name != "shop-on-disks" {
			t.Errorf("%.60q: %v", text, err)
		}
		if got := study.Profiles([]byte(text)); len(got) != 1 {
			t.Errorf("%.60q has profiles %q", text, got)
		}
	}
	for _, text := range []string{"%YAML 1.2\n---\n" + good + "---\n" + good, good + "---\nstudy: b\n"} {
		if _, err := study.Parse("shop.yaml", []byte(text), "", vocabulary()); err == nil || !strings.Contains(err.Error(), "one study per file") {
			t.Errorf("two documents: %v", err)
		}
	}
}

// Text in another encoding is refused where it begins to be one.
func TestEncodings(t *testing.T) {
	for text, want := range map[string]string{
		"study: a\ntitle: caf\xe9\n":       "shop.yaml:2:11: the byte 0xE9 is not UTF-8",
		"study: a\n# é\xff\n":              "shop.yaml:2:4: the byte 0xFF is not UTF-8",
		"\ufeffstudy: \xc0\xaf\n":          "shop.yaml:1:8: the byte 0xC0 is not UTF-8",
		"\xff\xfes\x00t\x00":               "shop.yaml:1:1: the file is text in UTF-16",
		"study: a\nengine: {name: \x00}\n": "shop.yaml:2:16: the file is binary",
	} {
		_, err := study.Parse("shop.yaml", []byte(text), "", vocabulary())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What an objective that cannot be read was meant as.
func TestObjectiveSuggestions(t *testing.T) {
	for text, want := range map[string]string{
		"p95 <= 200ms and errors <= 1%":   `["p95 <= 200ms", "errors <= 1%"]`,
		"p95 < 200ms && errors < 1":       `["p95 <= 200ms", "errors <= 1%"]`,
		"p95 and p99 <= 1s":               `["p95 <= 1s", "p99 <= 1s"]`,
		"p95 <= 200ms, rate >= 99%":       `["p95 <= 200ms", "rate >= 99%"]`,
		"p95 <= 200ms and never an error": "",
		"p95 < 200":                       `"p95 <= 200ms"`,
		"p95 < 1":                         `"p95 <= 1s" or "p95 <= 1ms"`,
		"p95 >= 200ms":                    `"p95 <= 200ms"`,
		"p95: 200ms":                      `"p95 <= 200ms"`,
		"p95 <= 0,2s":                     "0.2s",
		"avg <= 1s":                       `"mean"`,
		"p80 <= 1s":                       "",
		"latency <= 1s":                   "",
		"errors <= 1 percent":             `"1%"`,
		"errors <= 0,1%":                  `"0.1%"`,
		"errors <= 200ms":                 "",
	} {
		if _, err := study.ParseObjective(text); err == nil || !suggests(err, want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A name that has little in common with another was not meant as that.
func TestNearest(t *testing.T) {
	known := []string{"rate", "users", "think_time", "hdd", "postgres"}
	for name, want := range map[string]string{
		"ram": "", "ssd": "", "usres": `"users"`, "user": `"users"`, "hd": `"hdd"`, "think": `"think_time"`, "postgresql": `"postgres"`, "disks": "",
	} {
		if got := study.Nearest(name, known); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}
