package result

import (
	"testing"
	"time"
)

// Orders that waited longer than others took are in the histogram and not among
// those done: the trial does not contradict itself for that.
func TestATrialWithOverdueOrdersIsGood(t *testing.T) {
	o := newOperationTotal()
	if err := o.add(Record{Kind: KindOperation, Phase: Measure, Operation: "order", Count: 3, Histogram: encoded(t, 1000, 2000, 3000)}); err != nil {
		t.Fatal(err)
	}
	ages := NewHistogram()
	if err := ages.RecordValues(5e9, 2); err != nil {
		t.Fatal(err)
	}
	o.overdue(ages)
	sum, err := o.summary()
	if err != nil || sum.Overdue != 2 {
		t.Fatalf("%+v, %v", sum, err)
	}
	trial := Trial{
		Schema: SchemaVersion, ID: "a/1/1", Rung: 1, Repetition: 1, Status: Passed, MeasureEnd: time.Unix(2, 0), MeasureStart: time.Unix(1, 0),
		Part: Part{Operations: map[string]OperationSummary{"order": sum}},
	}
	if _, err := TileOf(&trial).check("a/1/1"); err != nil {
		t.Error(err)
	}
}

// The current and the previous schema versions can be read, the first cannot.
func TestSchemasThatAreRead(t *testing.T) {
	for schema, read := range map[int]bool{1: false, oldestSchema: true, SchemaVersion: true, SchemaVersion + 1: false} {
		trial := Trial{Schema: schema, ID: "a/1/1", Rung: 1, Repetition: 1, Status: Failed}
		if _, err := TileOf(&trial).check("a/1/1"); (err == nil) != read {
			t.Errorf("schema %d: %v", schema, err)
		}
	}
}
