package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// listing is the prepared statement that lists sessions. A session with an account and without a
// type belongs to an account whose sessions this one may not see (manual, "The Cumulative Statistics
// System"); one without a state is only logging in.
const listing = `select pid, wait_event_type, wait_event, backend_type is null from pg_stat_activity
	where datname = current_database() and pid <> pg_backend_pid()
	and (usesysid is not null and backend_type is null or state = 'active' and backend_type in ('client backend', 'parallel worker'))`

const listingName = "plimsoll_sessions"

// Sessions implements app.Capabilities.
func (Engine) Sessions(ctx context.Context, e endpoint.Endpoint) (app.Sessions, error) {
	conn, err := connect(ctx, e)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Prepare(ctx, listingName, listing, nil); err != nil {
		_ = conn.Close(ctx) // the first error is returned
		return nil, fmt.Errorf("prepare to list sessions: %w", err)
	}
	s := sessions{conn}
	if _, err := s.List(ctx); err != nil {
		_ = conn.Close(ctx) // the first error is returned
		return nil, err
	}
	return s, nil
}

type sessions struct{ conn *pgconn.PgConn }

func (s sessions) Close() error { return s.conn.Close(context.Background()) }

// List implements app.Sessions.
func (s sessions) List(ctx context.Context) ([]describe.Activity, error) {
	answer := s.conn.ExecPrepared(ctx, listingName, nil, nil, nil).Read()
	if answer.Err != nil {
		return nil, fmt.Errorf("list sessions: %w", answer.Err)
	}
	var all []describe.Activity
	for _, row := range answer.Rows {
		if len(row) != 4 {
			return nil, fmt.Errorf("list sessions: a row of %d columns", len(row))
		}
		if string(row[3]) == "t" {
			return nil, fmt.Errorf("list sessions: %w: grant pg_read_all_stats to it", app.ErrHidden)
		}
		a, working := activity(string(row[1]), string(row[2]))
		if working {
			a.Thread, _ = strconv.Atoi(string(row[0])) // the server's own number
			all = append(all, a)
		}
	}
	return all, nil
}

// waits are what the wait events of PostgreSQL mean, by type and event (manual, "Wait Event
// Types"), where the type alone does not say it. Sessions that wait for the lock of the log's
// buffers wait for the session that is writing or flushing them.
var waits = map[string]describe.Activity{
	"IO/WALSync":              {Component: describe.DeviceWait, Name: "WAL flush"},
	"IO/WALWrite":             {Component: describe.DeviceWait, Name: "WAL flush"},
	"LWLock/WALWrite":         {Component: describe.DeviceWait, Name: "WAL flush"},
	"LWLock/WALWriteLock":     {Component: describe.DeviceWait, Name: "WAL flush"},
	"IO/DataFileRead":         {Component: describe.DeviceWait, Name: "data file read"},
	"IPC/BufferIO":            {Component: describe.DeviceWait, Name: "data file read"},
	"IPC/BufferIo":            {Component: describe.DeviceWait, Name: "data file read"},
	"LWLock/BufferIO":         {Component: describe.DeviceWait, Name: "data file read"},
	"IO/DataFileWrite":        {Component: describe.DeviceWait, Name: "data file write"},
	"IO/DataFileFlush":        {Component: describe.DeviceWait, Name: "data file write"},
	"IO/DataFileSync":         {Component: describe.DeviceWait, Name: "data file write"},
	"IO/DataFileExtend":       {Component: describe.DeviceWait, Name: "data file extension"},
	"Lock/extend":             {Component: describe.LockWait, Name: "data file extension"},
	"Lock/transactionid":      {Component: describe.LockWait, Name: "row lock"},
	"Lock/tuple":              {Component: describe.LockWait, Name: "row lock"},
	"Lock/relation":           {Component: describe.LockWait, Name: "table lock"},
	"Lock/advisory":           {Component: describe.LockWait, Name: "advisory lock"},
	"Timeout/SpinDelay":       {Component: describe.LockWait, Name: "spinlock"},
	"IPC/SyncRep":             {Component: describe.PeerWait, Name: "standby"},
	"Client/ClientWrite":      {Component: describe.NetworkWait, Name: "client"},
	"Client/ClientRead":       {Component: describe.NetworkWait, Name: "client"},
	"IPC/ParallelFinish":      {},
	"IPC/ExecuteGather":       {},
	"IPC/MessageQueueSend":    {},
	"IPC/MessageQueueReceive": {},
}

// byType are the components of the other events.
var byType = map[string]describe.Component{
	"IO": describe.DeviceWait, "Lock": describe.LockWait, "LWLock": describe.LockWait, "BufferPin": describe.LockWait,
	"IPC": describe.OtherWait, "Timeout": describe.OtherWait, "Extension": describe.OtherWait, "Client": describe.NetworkWait,
}

// activity interprets a wait event. A session that waits for its own parallel workers is not at
// work in addition to them.
func activity(kind, event string) (a describe.Activity, working bool) {
	if kind == "" {
		return describe.Activity{}, true
	}
	if kind == "Activity" {
		return describe.Activity{}, false
	}
	if known, ok := waits[kind+"/"+event]; ok {
		return known, known.Component != ""
	}
	component, ok := byType[kind]
	if !ok {
		component = describe.OtherWait
	}
	if kind == "LWLock" {
		event = "lightweight lock " + event
	}
	return describe.Activity{Component: component, Name: strings.TrimSpace(event)}, true
}
