package job

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/result"
)

// An observing task sends its samples as it takes them, in the campaign's time, and ends
// without an error when it is stopped.
func TestObserve(t *testing.T) {
	const ahead = time.Hour // of the campaign's clock
	start := time.Now().Add(-ahead)
	described, err := task.NewJob(ObserveKind, "observer-0", Observe{Start: start, Interval: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	described.Offset = ahead
	var in bytes.Buffer
	if err := task.WriteJob(&in, described, nil); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, to := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- task.Main(ctx, &in, to, Handlers(Registries{}))
		to.Close()
	}()
	var pieces []result.Series
	records, last := 0, task.FrameKind(0)
	for d := task.NewDecoder(out); ; {
		f, err := d.Next()
		if err != nil {
			break
		}
		last = f.Kind
		if f.Kind != task.RecordFrame {
			continue
		}
		var some []result.Series
		if err := json.Unmarshal(f.Payload, &some); err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, some...)
		if records++; records == 3 {
			stop()
		}
	}
	stop()
	if err := <-ended; err != nil || last != task.EndFrame || records < 3 {
		t.Fatalf("%d records, the last frame is %c: %v", records, last, err)
	}
	whole := telemetry.Join(pieces)
	at := slices.IndexFunc(whole, func(s result.Series) bool { return s.Kind == "cpu" && s.Metric == "utilisation" })
	if at < 0 || len(whole[at].Values) < 10 || whole[at].Times[0] < 0 || whole[at].Times[0] > time.Since(start.Add(ahead)).Milliseconds() {
		t.Errorf("%+v", whole)
	}
	if slices.ContainsFunc(whole, func(s result.Series) bool { return s.Kind == "network" }) {
		t.Error("the network of a container is taken for the machine's")
	}
}
