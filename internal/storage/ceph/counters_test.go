package ceph

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/storage"
)

// The answer of an OSD of Ceph 16, shortened, and of one with other counters.
func TestCountersOfAnOSD(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want map[string]storage.Count
	}{
		"of 16": {`{"osd": {"op_wip": 2, "op_r": 7, "op_r_latency": {"avgcount": 7, "sum": 0.0034, "avgtime": 0.0005}},
			"bluestore": {"commit_lat": {"avgcount": 414, "sum": 19.7, "avgtime": 0.048}}}`,
			map[string]storage.Count{
				"queue": {Metric: "queue", Value: 2}, "reads": {Metric: "reads", As: storage.Rate, Value: 7},
				"read_latency":   {Metric: "read_latency", As: storage.Mean, Value: 0.0034, Of: 7},
				"commit_latency": {Metric: "commit_latency", As: storage.Mean, Value: 19.7, Of: 414},
			}},
		"another name": {`{"bluestore": {"txc_commit_lat": {"avgcount": 1, "sum": 2}}}`,
			map[string]storage.Count{"commit_latency": {Metric: "commit_latency", As: storage.Mean, Value: 2, Of: 1}}},
		"another form": {`{"osd": {"op_wip": {"value": 2}, "op_r": null, "op_w": -1, "op_r_latency": 0.5, "op_w_latency": {"avgcount": 7}},
			"bluestore": {"commit_lat": {"avgcount": -1, "sum": 2}}}`, map[string]storage.Count{}},
		"nothing": {`{}`, map[string]storage.Count{}},
	} {
		var d dump
		if err := json.Unmarshal([]byte(c.text), &d); err != nil {
			t.Fatal(err)
		}
		got := d.counts()
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v", name, got)
		}
		for _, one := range got {
			if one != c.want[one.Metric] {
				t.Errorf("%s: %+v, want %+v", name, one, c.want[one.Metric])
			}
		}
	}
}

// made makes a status of placement groups, each "count state".
func made(t *testing.T, degraded, misplaced int, states map[string]int) (s status) {
	t.Helper()
	pgs := 0
	for _, n := range states {
		pgs += n
	}
	text, err := json.Marshal(map[string]any{
		"osdmap": map[string]int{"num_osds": 3, "num_up_osds": 3, "num_in_osds": 3}, "mgrmap": map[string]bool{"available": true},
		"pgmap": map[string]int{"num_pgs": pgs, "degraded_objects": degraded, "misplaced_objects": misplaced},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	for state, n := range states {
		s.PGMap.ByState = append(s.PGMap.ByState, struct {
			Name  string `json:"state_name"`
			Count int
		}{state, n})
	}
	return s
}

func TestWhatChangesInPlacementGroupsHappens(t *testing.T) {
	p := &Pool{}
	said := func(s status, trusted bool) string {
		p.seen.status(s, 3, trusted)
		var all []string
		for _, h := range p.Happened() {
			if time.Since(h.At) > time.Minute {
				t.Errorf("%+v is long ago", h)
			}
			all = append(all, h.Text)
		}
		return strings.Join(all, "; ")
	}
	well := made(t, 0, 0, map[string]int{"active+clean": 32})
	for _, step := range []struct {
		s       status
		trusted bool
		says    string
		unwell  bool
	}{
		{well, true, "", false},
		{made(t, 40, 0, map[string]int{"active+clean": 20, "active+undersized+degraded": 10, "peering": 2}), false, "placement groups, of 32: 2 inactive, 10 degraded; objects: 40 degraded, 0 misplaced", true},
		{made(t, 30, 0, map[string]int{"active+clean": 22, "active+undersized+degraded": 10}), true, "placement groups, of 32: none inactive any more; objects: 30 degraded, 0 misplaced", true},
		{made(t, 20, 5, map[string]int{"active+clean": 30, "active+recovering+degraded": 1, "active+remapped+backfilling": 1}), true, "placement groups, of 32: 1 misplaced, 2 recovering; objects: 20 degraded, 5 misplaced", true},
		{well, false, "placement groups, of 32: none degraded any more, none misplaced any more, none recovering any more", true},
		{well, true, "", false},
	} {
		if says := said(step.s, step.trusted); says != step.says || p.seen.isUnwell() != step.unwell {
			t.Errorf("%q, unwell %t, want %q, %t", says, p.seen.isUnwell(), step.says, step.unwell)
		}
	}
	p.seen.scrubs("osd.1", false)
	p.seen.scrubs("osd.1", true)
	p.seen.scrubs("osd.1", true)
	p.seen.scrubs("osd.1", false)
	if all := p.Happened(); len(all) != 2 || all[0].Text != "osd.1 scrubs" || all[1].Text != "osd.1 scrubs no more" {
		t.Errorf("%+v", all)
	}
	for _, recovered := range []float64{5, 5} {
		if p.seen.recoveries("osd.1", []storage.Count{{Metric: "recoveries", Value: recovered}}); p.seen.isUnwell() {
			t.Error("nothing was recovered since")
		}
	}
	if p.seen.recoveries("osd.1", []storage.Count{{Metric: "recoveries", Value: 6}}); !p.seen.isUnwell() {
		t.Error("an OSD recovers, and the cluster is not asked")
	}
}

// degrades waits until the cluster says itself that objects have too few copies.
func degrades(t *testing.T, c *Pool) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 2*time.Minute; time.Sleep(time.Second) {
		for _, m := range c.Meters() {
			all, err := m.Read(t.Context())
			if err == nil && m.Name == "cluster" && slices.ContainsFunc(all, func(c storage.Count) bool { return c.Metric == "degraded" && c.Value > 0 }) {
				return
			}
		}
	}
	t.Error("an OSD was killed, and no object is degraded")
}

// metered looks whether every OSD that runs says all that is asked of it.
func metered(t *testing.T, c *Pool) {
	t.Helper()
	meters := c.Meters()
	if len(meters) != c.p.all() {
		t.Errorf("%d of %d OSDs can be asked, and the cluster is well", len(meters), c.p.all())
	}
	for _, m := range meters {
		all, err := m.Read(t.Context())
		if err != nil || len(all) != len(counters)+1 { // and scrubs
			t.Errorf("%s counts %+v, %v", m.Name, all, err)
		}
	}
}
