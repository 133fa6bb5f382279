package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Check has InnoDB read every table with all its indices and compare them
// (CHECK TABLE); pages are compared with their checksums by being read.
func (Engine) Check(ctx context.Context, t endpoint.Endpoint) ([]describe.Check, error) {
	db, err := open(t)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	tables, err := list(ctx, db, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY 1")
	if err != nil {
		return nil, fmt.Errorf("check the files: list the tables: %w", err)
	}
	c, err := app.CheckEach("CHECK TABLE finds no errors", tables, func(table string) ([]string, error) {
		return checkTable(ctx, db, table)
	})
	return []describe.Check{c}, err
}

// checkTable returns the server's findings about a table. Its verdict is the row of type
// "status"; notes and warnings of a sound table are left out.
func checkTable(ctx context.Context, db *sql.DB, table string) ([]string, error) {
	rows, err := db.QueryContext(ctx, "CHECK TABLE "+quoteName(table)+" EXTENDED")
	if text := refused(err); text != "" {
		return []string{text}, nil
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var messages []string
	sound := false
	for rows.Next() {
		var name, operation, kind, text string
		if err := rows.Scan(&name, &operation, &kind, &text); err != nil {
			return nil, err
		}
		messages = append(messages, text)
		sound = kind == "status" && text == "OK"
	}
	if sound && rows.Err() == nil {
		return nil, nil
	}
	return append(messages, "no verdict")[:max(1, len(messages))], rows.Err()
}

// refused is the server's message when it answered with an error.
func refused(err error) string {
	var answer *mysql.MySQLError
	if errors.As(err, &answer) {
		return answer.Message
	}
	return ""
}

func list(ctx context.Context, db *sql.DB, query string) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
