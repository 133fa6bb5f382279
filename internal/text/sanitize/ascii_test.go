package sanitize

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestASCIIKeepsWhatSignsMean(t *testing.T) {
	for text, want := range map[string]string{
		"p95 ≤ 50 ms, 1.2 × 3–4 … −5 %": "p95 <= 50 ms, 1.2 x 3-4 ... -5 %",
		"━━ Load":                       "-- Load",
		"plain <= text":                 "plain <= text",
		"Größe 数":                       `Gr\u00f6\u00dfe \u6570`,
		"😀":                             `\ud83d\ude00`,
	} {
		if got := ToASCII(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		var out bytes.Buffer
		w := ASCII(&out)
		for i := range len(text) { // characters come in pieces
			if n, err := w.Write([]byte{text[i]}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want {
			t.Errorf("in pieces %q became %q, want %q", text, out.String(), want)
		}
	}
	var out bytes.Buffer
	if _, err := ASCII(&out).Write([]byte("a\xffb")); err != nil || out.String() != `a\xffb` {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestASCIIJSONReadsBack(t *testing.T) {
	const value = "p95 ≤ 50 ms, Größe, 😀"
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := ASCIIJSON(&out).Write(text); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != value || !isASCII(out.String()) {
		t.Errorf("%s reads back as %q (%v)", out.String(), back, err)
	}
}
