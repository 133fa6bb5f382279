package dvdstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/workload"
)

type mariadb struct{}

func (mariadb) open(t workload.Endpoint) (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net, config.Addr = t.Network, t.Address
	config.DBName, config.User, config.Passwd = t.Database, t.User, t.Password
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("prepare the connection to MariaDB: %w", err)
	}
	return sql.OpenDB(connector), nil
}

func (mariadb) tables() []table { return mariadbTables() }

// allocated: the file of a table that has outgrown its first extent is kept
// about 8 MiB larger than its rows, as measured from 1MB to 300MB.
func (mariadb) allocated(bytes int64) int64 {
	const large, ahead = 512 << 10, 8 << 20
	if bytes > large {
		return bytes + ahead
	}
	return bytes
}

// session turns off what costs time and cannot fail with rows that we made;
// with both checks off, InnoDB builds an empty table without undo log.
// The original's drivers qualify tables as DS2.CUSTOMERS, and names of
// databases are directories, which have a case.
func (mariadb) database() string { return "DS2" }

func (mariadb) session() []string {
	return []string{`set session unique_checks = 0, foreign_key_checks = 0`,
		`set session innodb_ft_enable_stopword = 0`}
}

// load streams the rows as if they were a file of the client. LOAD DATA LOCAL
// turns errors in rows into warnings, because the client cannot be stopped, so
// warnings are asked for.
func (mariadb) load(ctx context.Context, c *sql.Conn, t table, rows io.Reader) (int64, error) {
	if _, err := c.ExecContext(ctx, t.create); err != nil {
		return 0, err
	}
	name := t.name + "-" + rand.Text() // the driver's registry is shared by the whole process
	mysql.RegisterReaderHandler(name, func() io.Reader { return rows })
	defer mysql.DeregisterReaderHandler(name)
	result, err := c.ExecContext(ctx, "load data local infile 'Reader::"+name+"' into table "+t.name)
	if err != nil {
		return 0, fmt.Errorf("%w (the server must run with local_infile=1)", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	return n, warnings(ctx, c)
}

// warnings reports the first warning of the last statement as an error.
func warnings(ctx context.Context, c *sql.Conn) error {
	var level, message string
	var code int
	switch err := c.QueryRowContext(ctx, "show warnings limit 1").Scan(&level, &code, &message); err {
	case sql.ErrNoRows:
		return nil
	case nil:
		return fmt.Errorf("the server took the rows with a warning: %s %d: %s", level, code, message)
	default:
		return err
	}
}
