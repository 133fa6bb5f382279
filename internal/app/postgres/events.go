package postgres

import (
	"context"
	"fmt"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/event"
)

// statements are the SQL of the verbs.
var statements = map[string]string{
	"checkpoint": "CHECKPOINT",
	"vacuum":     "VACUUM (ANALYZE)",
}

// Events implements app.Actor.
func (Engine) Events() event.Declaration {
	instance := event.Object{Form: event.Servers, Kind: "instance"}
	return event.Declaration{Of: "a PostgreSQL server", Verbs: []event.Verb{
		{Name: "checkpoint", Object: instance, Text: "writes all changed pages to the data files at once (CHECKPOINT), and ends when they are there"},
		{Name: "vacuum", Object: instance, Text: "removes dead rows from all tables and renews their statistics (VACUUM ANALYZE)"},
	}}
}

// Do implements app.Actor.
func (Engine) Do(ctx context.Context, e event.Event, server endpoint.Endpoint) error {
	statement, known := statements[e.Verb.Name]
	if !known {
		return fmt.Errorf("a PostgreSQL server cannot %s", e.Verb.Words())
	}
	conn, err := connect(ctx, server)
	if err != nil {
		return explain(err, server)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := conn.Exec(ctx, statement).Close(); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
