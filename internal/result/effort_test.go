package result

import (
	"reflect"
	"testing"

	"plimsoll/internal/describe"
)

// The efforts of the measured phase add up, but for the memory that one operation had.
func TestEffortsAreSummed(t *testing.T) {
	o := newOperationTotal()
	one := describe.Effort{Count: 1, CPU: 2, Scheduled: 3, Blocked: 4, InputBytes: 5, SpilledBytes: 6, PeakBytes: 7}
	other := describe.Effort{Count: 1, CPU: 1, PeakBytes: 9}
	for _, r := range []Record{
		{Kind: KindOperation, Phase: Warmup, Operation: "q01", Effort: &one},
		{Kind: KindOperation, Phase: Measure, Operation: "q01", Effort: &one},
		{Kind: KindOperation, Phase: Measure, Second: 1, Operation: "q01", Effort: &other},
		{Kind: KindOperation, Phase: Measure, Second: 2, Operation: "q01"},
	} {
		if err := o.add(r); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := o.summary()
	want := describe.Effort{Count: 2, CPU: 3, Scheduled: 3, Blocked: 4, InputBytes: 5, SpilledBytes: 6, PeakBytes: 9}
	if err != nil || sum.Effort == nil || !reflect.DeepEqual(*sum.Effort, want) {
		t.Errorf("%+v, %v", sum.Effort, err)
	}
	if _, err := parseRecord([]byte(`{"kind":"operation","operation":"q01","second":1,"effort":{"count":1,"cpu":-1}}`)); err == nil {
		t.Error("negative processor time is taken")
	}
	if none := newOperationTotal(); Spent(none.effort) != nil {
		t.Error("an effort of nothing")
	}
}
