package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Statements that list sessions: at work, in this database, with whether each waits for a row
// lock, which only accounts with the right PROCESS can see.
const (
	listing = "select p.state, p.tid, t.trx_id is not null from information_schema.processlist p " +
		"left join information_schema.innodb_trx t on t.trx_mysql_thread_id = p.id and t.trx_state = 'LOCK WAIT' " +
		"where p.command in ('Query', 'Execute') and p.db = database() and p.id <> connection_id()"
	// checkpoint asks how much of the redo log has to be kept, and how much may be.
	checkpoint = "show global status where variable_name in ('Innodb_checkpoint_age', 'Innodb_checkpoint_max_age')"
)

// processDenied is the error of who lacks the right PROCESS (manual, "MariaDB Error Codes").
const processDenied = 1227

// Sessions implements app.Capabilities.
func (Engine) Sessions(ctx context.Context, e endpoint.Endpoint) (app.Sessions, error) {
	db, err := open(e)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &sessions{db: db}
	err = sqlconn.Failed(e, db.PingContext(ctx))
	if err == nil {
		s.listing, err = db.PrepareContext(ctx, listing)
	}
	if err == nil {
		_, err = s.List(ctx)
	}
	if err != nil {
		return nil, errors.Join(hidden(err), db.Close())
	}
	return s, nil
}

// hidden makes of the refusal of a right an error that says which.
func hidden(err error) error {
	var answer *mysql.MySQLError
	if errors.As(err, &answer) && answer.Number == processDenied {
		return fmt.Errorf("list sessions: %w: grant PROCESS to it", app.ErrHidden)
	}
	return err
}

type sessions struct {
	db      *sql.DB
	listing *sql.Stmt
	lists   int
	last    time.Time // when the latest list was complete
	full    bool      // the redo log
}

func (s *sessions) Close() error { return s.db.Close() }

// checkpointEvery is after how many lists the redo log is looked at.
const checkpointEvery = 5

// fresh is how long innodb_trx has to be left alone until a read of it shows new contents: InnoDB
// keeps a copy of it that it renews only when the latest read was more than 100 ms ago
// (trx_i_s_possibly_fetch_data_into_cache). Reads in quicker succession show one copy for ever.
const fresh = 105 * time.Millisecond

// List implements app.Sessions. It returns when the locks that it lists can be new.
func (s *sessions) List(ctx context.Context) ([]describe.Activity, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Until(s.last.Add(fresh))):
	}
	defer func() { s.last = time.Now() }()
	return s.list(ctx)
}

func (s *sessions) list(ctx context.Context) (all []describe.Activity, err error) {
	if s.lists%checkpointEvery == 0 {
		if s.full, err = s.logIsFull(ctx); err != nil {
			return nil, err
		}
	}
	s.lists++
	rows, err := s.listing.QueryContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var state sql.NullString
		var thread int
		var locked bool
		if err := rows.Scan(&state, &thread, &locked); err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		a := activity(state.String, s.full)
		if locked {
			a = describe.Activity{Component: describe.LockWait, Name: "row lock"}
		} else {
			a.Thread = thread
		}
		all = append(all, a)
	}
	return all, rows.Err()
}

// fullLog is the share of the redo log's usable size from which on writers wait until pages are
// flushed: InnoDB holds them back close to the end of it (log_free_check), and its age moves
// between there and an eighth below while it does.
const fullLog = 1 - 1.0/8

func (s *sessions) logIsFull(ctx context.Context) (bool, error) {
	rows, err := s.db.QueryContext(ctx, checkpoint)
	if err != nil {
		return false, fmt.Errorf("ask how full the redo log is: %w", err)
	}
	defer rows.Close()
	sizes := map[string]float64{}
	for rows.Next() {
		var name string
		var value float64
		if err := rows.Scan(&name, &value); err != nil {
			return false, fmt.Errorf("ask how full the redo log is: %w", err)
		}
		sizes[strings.ToLower(name)] = value
	}
	most := sizes["innodb_checkpoint_max_age"]
	return most > 0 && sizes["innodb_checkpoint_age"] >= fullLog*most, rows.Err()
}

// activity interprets the state of a session that works and waits for no row lock (manual,
// "General Thread States"). A session that asleep commits waits for the redo log; one that
// changes rows, while the redo log is full, waits until pages are flushed.
func activity(state string, fullLog bool) describe.Activity {
	name := strings.ToLower(state)
	switch {
	case strings.HasPrefix(name, "waiting for ") && strings.Contains(name, "lock"):
		return describe.Activity{Component: describe.LockWait, Name: strings.TrimPrefix(name, "waiting for ")}
	case name == "user lock":
		return describe.Activity{Component: describe.LockWait, Name: name}
	case strings.HasPrefix(name, "writing to net"), strings.HasPrefix(name, "reading from net"):
		return describe.Activity{Component: describe.NetworkWait, Name: "client"}
	case strings.HasPrefix(name, "commit"):
		return describe.Activity{Component: describe.DeviceWait, Name: "redo log flush"}
	case fullLog && (strings.HasPrefix(name, "updat") || strings.HasPrefix(name, "insert") || strings.HasPrefix(name, "delet")):
		return describe.Activity{Component: describe.DeviceWait, Name: "checkpoint of a full redo log"}
	}
	return describe.Activity{}
}
