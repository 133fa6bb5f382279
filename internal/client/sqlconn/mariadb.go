package sqlconn

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"plimsoll/internal/describe/endpoint"

	"github.com/go-sql-driver/mysql"
)

// mariadbSession sets what a session depends on, whatever the server has as a default
// or does with init_connect. MariaDB reads what follows M! or has a version below
// 50700, MySQL what has one from there on (MariaDB's documentation, "Comment Syntax").
const mariadbSession = "set autocommit = 1, names utf8mb4, time_zone = '+00:00', " +
	"sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', " +
	"completion_type = 0, foreign_key_checks = 1, unique_checks = 1, default_storage_engine = InnoDB, " +
	"sql_safe_updates = 0, sql_auto_is_null = 0, sql_big_selects = 1, sql_select_limit = 18446744073709551615, " +
	"wait_timeout = 28800, interactive_timeout = 28800, net_read_timeout = 600, net_write_timeout = 600, " +
	"lock_wait_timeout = 86400, innodb_lock_wait_timeout = 50" +
	" /*M!, tx_isolation = 'REPEATABLE-READ', tx_read_only = 0, max_statement_time = 0 */" +
	" /*M!100300, idle_transaction_timeout = 0, idle_write_transaction_timeout = 0, idle_readonly_transaction_timeout = 0 */" +
	" /*!50720, transaction_isolation = 'REPEATABLE-READ', transaction_read_only = 0, max_execution_time = 0 */"

// MariaDB configures a connection to MariaDB or MySQL. The change, if there is one, is
// made to the library's own configuration.
func MariaDB(e endpoint.Endpoint, change func(*mysql.Config)) (driver.Connector, error) {
	c := mysql.NewConfig()
	c.Net, c.Addr = e.Network, e.Address
	c.User, c.Passwd, c.DBName = e.User, e.Password, endpoint.Database(e)
	c.Logger = &mysql.NopLogger{} // what fails is in the error
	var err error
	if c.TLS, err = TLS(e); err != nil {
		return nil, Failed(e, err)
	}
	if change != nil {
		change(c)
	}
	if e.Lent && c.TLS == nil {
		guarded(c)
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("prepare the connection to MariaDB: %w", Failed(e, err))
	}
	if e.Lent {
		return sessionConnector{connector}, nil
	}
	return connector, nil
}

// sessionConnector connects and applies the session's settings.
type sessionConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (s sessionConnector) Connect(ctx context.Context) (driver.Conn, error) {
	var asked bool
	c, err := s.Connector.Connect(context.WithValue(ctx, askedKey{}, &asked))
	if asked {
		err = errUnvouched
	}
	if err != nil {
		return nil, err
	}
	if _, err := c.(driver.ExecerContext).ExecContext(ctx, mariadbSession, nil); err != nil { // the library's always are
		return nil, errors.Join(fmt.Errorf("set what the session depends on: %w", err), c.Close())
	}
	return c, nil
}
