package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/task"
	"plimsoll/internal/storage/probe"
	"plimsoll/internal/workload"
	"plimsoll/test/quick"
)

// shop is a workload that keeps receipts; silent is one that keeps none.
type shop struct{ silent }

type silent struct{ workload.Workload }

type parameters struct {
	Size string `json:"size"`
}

func (p *parameters) Validate() []describe.Problem {
	if p.Size != "small" {
		return []describe.Problem{{Path: "size", Text: "is not small"}}
	}
	return nil
}

func (silent) Name() string                  { return "silent" }
func (shop) Name() string                    { return "shop" }
func (silent) Defaults() workload.Parameters { return &parameters{Size: "small"} }

func (silent) Prepare(_ context.Context, t workload.Target, _ workload.Parameters, seed uint64, progress func(float64)) error {
	progress(0.25)
	if t.Endpoint("db").Password != "secret" || seed != 7 {
		return errors.New("not who makes tables")
	}
	return nil
}

func (silent) Capabilities() workload.Capabilities { return workload.Capabilities{} }

func (s shop) Capabilities() workload.Capabilities { return workload.Capabilities{Audit: s.Audit} }

// Audit counts receipts, and fails for those that say so.
func (shop) Audit(_ context.Context, t workload.Target, _ workload.Parameters, _ uint64, receipts workload.Receipts) (a describe.Audit, err error) {
	a.Instance = t.Instance
	var lost error
	err = receipts(func(r []byte) bool {
		a.Acknowledged++
		if string(r) == "lost" {
			lost = errors.New("the connection broke")
		}
		return lost == nil
	})
	a.Checks = []describe.Check{{Name: "all are there", Passed: lost == nil}}
	return a, errors.Join(err, lost)
}

// checked is an engine that checks its files; plain one that cannot.
type checked struct{ plain }

type plain struct{ app.Engine }

func (plain) Capabilities() app.Capabilities { return app.Capabilities{} }

func (e checked) Capabilities() app.Capabilities { return app.Capabilities{Check: e.Check} }

func (checked) Check(_ context.Context, e endpoint.Endpoint) ([]describe.Check, error) {
	return []describe.Check{{Name: "pages of " + e.Role, Passed: true}}, nil
}

// do has the handlers of this package do a job in this process.
func do(t *testing.T, kind string, spec any, receipts ...string) (frames []task.Frame, err error) {
	t.Helper()
	described, err := task.NewJob(kind, "x", spec)
	if err != nil {
		t.Fatal(err)
	}
	described.Input = true
	var packed []byte
	for _, r := range receipts {
		packed = task.AppendReceipt(packed, []byte(r))
	}
	input, err := task.ReceiptsInput(0, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil })()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	var in, out bytes.Buffer
	if err := task.WriteJob(&in, described, input); err != nil {
		t.Fatal(err)
	}
	all := Registries{Workloads: workload.NewRegistry(shop{}, silent{}), Engines: map[string]app.Engine{"checked": checked{}, "plain": plain{}}}
	err = task.Main(t.Context(), &in, &out, Handlers(all))
	for d := task.NewDecoder(&out); ; {
		f, readErr := d.Next()
		if readErr != nil {
			return frames, err
		}
		f.Payload = bytes.Clone(f.Payload)
		frames = append(frames, f)
	}
}

// found is the result among frames.
func found(t *testing.T, frames []task.Frame) (a describe.Audit) {
	t.Helper()
	for _, f := range frames {
		if f.Kind == task.ResultFrame {
			if err := json.Unmarshal(f.Payload, &a); err != nil {
				t.Fatal(err)
			}
			return a
		}
	}
	t.Fatal("there is no result")
	return a
}

func target(password string) workload.Target {
	return workload.Target{Instance: 3, Endpoints: []endpoint.Endpoint{{Role: "db", Password: password}}}
}

func TestPrepare(t *testing.T) {
	frames, err := do(t, PrepareKind, Work{Workload: "silent", Seed: 7, Target: target("secret")})
	if err != nil || frames[1].Kind != task.ProgressFrame {
		t.Errorf("%v, %v", frames, err)
	}
	for want, work := range map[string]Work{
		"not who makes tables": {Workload: "silent", Seed: 7, Target: target("")},
		"unknown workload":     {Workload: "none"},
		"size: is not small":   {Workload: "silent", Parameters: []byte(`{"size": "vast"}`)},
		"unknown field":        {Workload: "silent", Parameters: []byte(`{"sice": "small"}`)},
	} {
		if _, err := do(t, PrepareKind, work); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestAuditAsksWorkloadAndEngines(t *testing.T) {
	engines := []EngineCheck{{Engine: "plain"}, {Engine: "checked", Endpoint: endpoint.Endpoint{Role: "db"}}}
	for _, c := range []struct {
		workload string
		receipts []string
		want     string
		fails    string
	}{
		{"shop", []string{"a", "b", "c"}, "3 acknowledged: all are there, true; pages of db, true;", ""},
		{"shop", nil, "0 acknowledged: all are there, true; pages of db, true;", ""},
		{"shop", []string{"a", "lost"}, "2 acknowledged: all are there, false; as the connection broke; pages of db, true;", "the connection broke"},
		{"silent", []string{"a"}, "0 acknowledged: pages of db, true;", ""},
	} {
		frames, err := do(t, AuditKind, Audit{Work: Work{Workload: c.workload, Target: target("")}, Engines: engines}, c.receipts...)
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s %v: %v", c.workload, c.receipts, err)
		}
		a := found(t, frames)
		got := fmt.Sprintf("%d acknowledged:", a.Acknowledged)
		for _, check := range a.Checks {
			got += fmt.Sprintf(" %s, %v;", check.Name, check.Passed)
			if check.Uncounted != "" {
				got += " as " + check.Uncounted + ";"
			}
		}
		if got != c.want {
			t.Errorf("%s %v: %s, want %s", c.workload, c.receipts, got, c.want)
		}
	}
}

func (plain) Find(_ context.Context, version string, fetch bool) (app.Installation, error) {
	if fetch || version == "9" {
		return app.Installation{}, errors.New("there is no version 9")
	}
	return app.Installation{Engine: "plain", Version: "15.1", Paths: map[string]string{"server": "/usr/bin/plain"}}, nil
}

func TestFind(t *testing.T) {
	frames, err := do(t, FindKind, Find{Engine: "plain", Version: "15"})
	if err != nil {
		t.Fatal(err)
	}
	var in app.Installation
	if err := json.Unmarshal(frames[1].Payload, &in); err != nil || in.Paths["server"] != "/usr/bin/plain" {
		t.Errorf("%s, %v", frames[1].Payload, err)
	}
	for want, job := range map[string]Find{"no version 9": {Engine: "plain", Version: "9"}, "no engine": {Engine: "none"}} {
		if _, err := do(t, FindKind, job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", job, err)
		}
	}
}

func TestProbe(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	dir := t.TempDir()
	frames, err := do(t, ProbeKind, Probe{Path: dir, Options: probe.Options{Duration: 2 * time.Second, Size: 256 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	var report probe.Report
	steps := map[string]bool{}
	for _, f := range frames {
		switch f.Kind {
		case task.ProgressFrame:
			p, err := f.Progress()
			if err != nil {
				t.Fatal(err)
			}
			steps[p.Step] = true
		case task.ResultFrame:
			if err := json.Unmarshal(f.Payload, &report); err != nil {
				t.Fatal(err)
			}
		}
	}
	if report.Path != dir || report.Grade == "" || len(steps) < 2 {
		t.Errorf("path %s, grade %q, steps %v", report.Path, report.Grade, steps)
	}
	if _, err := do(t, ProbeKind, Probe{Path: dir + "/none"}); err == nil {
		t.Error("a directory that is not there was probed")
	}
}
