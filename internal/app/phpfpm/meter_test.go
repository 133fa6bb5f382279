package phpfpm

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// A pool tells how many workers are busy and how many requests wait although no
// worker is free to say so.
func TestAFullPoolSaysHowManyWait(t *testing.T) {
	in, err := Engine{}.Find(t.Context(), "", false)
	if err != nil {
		t.Skip(err)
	}
	p := localtest.Platform(t)
	defer p.Close(t.Context())
	c := app.Config{
		Name: "php", Users: 8, Settings: map[string]string{childrenSetting: "2"},
		Content: map[string]string{"slow.php": "<?php while (!file_exists(__DIR__ . '/../go')) usleep(20000); echo 'done';"},
	}
	server := Engine{}.Server(in, c)
	proc, err := p.Start(t.Context(), server, storage.Volume{})
	if err != nil {
		t.Fatal(err)
	}
	e := proc.Endpoint()
	// Its master counts the busy once a second: the worker that answered whether the server
	// is ready may be among them at first.
	idle := describe.Reading{Busy: 0, Capacity: 2}
	if got := read(t, e, idle); !reflect.DeepEqual(got, idle) {
		t.Errorf("at rest: %+v", got)
	}
	var users sync.WaitGroup
	for range 5 {
		users.Go(func() { _, _ = get(t.Context(), e.Network, e.Address, "/slow.php", "") }) // each ends with the server at the latest
	}
	full := describe.Reading{Busy: 2, Capacity: 2, Waiting: 3}
	if got := read(t, e, full); !reflect.DeepEqual(got, full) {
		t.Errorf("with 5 requests for 2 workers: %+v", got)
	}
	if err := proc.Kill(); err != nil {
		t.Error(err)
	}
	users.Wait()
	if _, err := (Engine{}).Read(t.Context(), e); err == nil {
		t.Error("a server that was killed has a status")
	}
}

// read reads until the pool reports the wanted values, or long enough, and returns its last
// report.
func read(t *testing.T, e endpoint.Endpoint, want describe.Reading) (got describe.Reading) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !reflect.DeepEqual(got, want) && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var err error
		if got, err = (Engine{}).Read(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	return got
}
