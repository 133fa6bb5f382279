package endpoint_test

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/describe/endpoint"
)

// bucket is a payload that this package does not know.
type bucket struct {
	URLs   []string `json:"urls"`
	Region string   `json:"region"`
}

func TestAPayloadPassesThroughThoseWhoDoNotKnowIt(t *testing.T) {
	e := endpoint.Endpoint{Role: "store", Kind: "bucket", Payload: endpoint.With(bucket{[]string{"http://a\"b"}, "x"})}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back endpoint.Endpoint
	if err := json.Unmarshal(text, &back); err != nil || back != e {
		t.Fatalf("%s came back as %+v, %v", text, back, err)
	}
	if b, err := endpoint.As[bucket](back); err != nil || b.Region != "x" || b.URLs[0] != `http://a"b` {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestAPayloadOfAnotherKindIsNotTaken(t *testing.T) {
	e := endpoint.Endpoint{Role: "volume", Kind: endpoint.Directory, Payload: endpoint.With(endpoint.Volume{Path: "/v"})}
	if s, err := endpoint.As[endpoint.SQL](e); err == nil || s != (endpoint.SQL{}) || !strings.Contains(err.Error(), "volume") {
		t.Errorf("%+v, %v", s, err)
	}
	if v, err := endpoint.As[endpoint.Volume](endpoint.Endpoint{Role: "volume"}); err == nil {
		t.Errorf("an endpoint without a payload has %+v", v)
	}
	if got := endpoint.Database(e); got != "" {
		t.Errorf("a directory has database %q", got)
	}
}

func TestAnEndpointWithoutAPayloadHasNoneInJSON(t *testing.T) {
	text, err := json.Marshal(endpoint.Endpoint{Role: "sink", Kind: "tcp"})
	if err != nil || strings.Contains(string(text), "payload") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestVariablesInAPayloadAreReplaced(t *testing.T) {
	p := endpoint.With(bucket{[]string{"${HOST}/a", "b"}, "large 12345678901234567"})
	if !p.Mentions("${HOST}") || p.Mentions("urls") {
		t.Error("mentions")
	}
	got, err := endpoint.As[bucket](endpoint.Endpoint{Payload: p.Replace(strings.NewReplacer("${HOST}", `it's "here"\`).Replace)})
	if err != nil || got.URLs[0] != `it's "here"\/a` || got.URLs[1] != "b" || got.Region != "large 12345678901234567" {
		t.Errorf("%+v, %v", got, err)
	}
	v, err := endpoint.As[endpoint.Volume](endpoint.Endpoint{Payload: endpoint.With(endpoint.Volume{Bytes: 1<<62 + 1}).Replace(strings.ToUpper)})
	if err != nil || v.Bytes != 1<<62+1 {
		t.Errorf("%+v, %v", v, err)
	}
}
