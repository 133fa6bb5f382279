package session

import (
	"errors"
	"fmt"
	"strings"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
)

// shape is how sysbench makes a table.
const shape = "id integer, k integer, c char(120), pad char(60)"

// check makes sure that the tables are there, are sysbench's and have as many
// rows as keys will be drawn from.
func check(c sqlwire.Conn, e endpoint.Endpoint, config *Config) error {
	columns, err := columnsOf(c, e.Kind)
	if err != nil {
		return fmt.Errorf("look at the tables: %w", err)
	}
	var wrong []error
	for table := 1; table <= config.Tables; table++ {
		if found := strings.Join(columns[TableName(table)], ", "); found == "" {
			wrong = append(wrong, fmt.Errorf("found no table %s, expected %d tables with the columns (%s): prepare the database, or set the workload's parameter tables to what is there", TableName(table), config.Tables, shape))
			break // all later ones are missing, too
		} else if found != shape {
			wrong = append(wrong, fmt.Errorf("table %s: found columns (%s), expected (%s): it is not one of sysbench's tables", TableName(table), found, shape))
		}
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	return checkRows(c, config)
}

// columnsOf lists the columns of tables called sbtest…, each as "id integer".
func columnsOf(c sqlwire.Conn, kind string) (map[string][]string, error) {
	query := `select c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod) from pg_attribute a join pg_class c on c.oid = a.attrelid
		where c.relname like 'sbtest%' and c.relkind in ('r', 'p') and pg_table_is_visible(c.oid) and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`
	if kind == sqlwire.MariaDB {
		query = `select table_name, column_name, column_type from information_schema.columns
			where table_schema = database() and table_name like 'sbtest%' order by table_name, ordinal_position`
	}
	statement, err := c.Prepare(query)
	if err != nil {
		return nil, err
	}
	r, err := c.Do(new(sqlwire.Batch).Call(statement))
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for row := range r.Rows(0) {
		table := string(r.Text(0, row, 0))
		all[table] = append(all[table], string(r.Text(0, row, 1))+" "+typeName(string(r.Text(0, row, 2))))
	}
	return all, nil
}

// typeName writes a type in one way for both engines: int(11), int(10) unsigned
// and bigint hold the same keys.
func typeName(t string) string {
	if strings.HasPrefix(t, "int") || strings.HasPrefix(t, "bigint") {
		return "integer"
	}
	return strings.Replace(t, "character(", "char(", 1)
}

// checkRows looks for the last key of each table. Rows near the end may have
// been deleted.
func checkRows(c sqlwire.Conn, config *Config) error {
	each := make([]string, config.Tables)
	for i := range each {
		each[i] = fmt.Sprintf("SELECT %d, max(id) FROM %s", i+1, TableName(i+1))
	}
	statement, err := c.Prepare(strings.Join(each, " UNION ALL "))
	if err != nil {
		return err
	}
	r, err := c.Do(new(sqlwire.Batch).Call(statement))
	if err != nil {
		return err
	}
	for row := range r.Rows(0) {
		if last := r.Int(0, row, 1); last < config.TableSize-config.TableSize/10 {
			return fmt.Errorf("table %s: found %d as its largest id, expected table_size: %d: set the workload's parameter table_size to what the table was prepared with",
				TableName(int(r.Int(0, row, 0))), last, config.TableSize)
		}
	}
	return nil
}
