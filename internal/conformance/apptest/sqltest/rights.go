package sqltest

import "testing"

// rights asks for what a shop needs as the declared user, and for more.
func (b bench) rights(t *testing.T) {
	c, server := b.started(t, "rights", nil)
	admin := b.open(t, c.AsAdmin(server.Endpoint()))
	serial := map[string]string{"mariadb": "int AUTO_INCREMENT", "postgres": "serial"}[b.Engine.Name()]
	execute(t, admin, "CREATE TABLE orders (id "+serial+" PRIMARY KEY, total int)")
	user := b.open(t, server.Endpoint())
	execute(t, user, "INSERT INTO orders (total) VALUES (1), (2), (3)", "UPDATE orders SET total = 5 WHERE id = 1", "DELETE FROM orders WHERE id = 2")
	n := 0
	if err := user.QueryRowContext(t.Context(), "SELECT count(*) FROM orders").Scan(&n); err != nil || n != 2 {
		t.Errorf("the user sees %d of 2 rows: %v", n, err)
	}
	for _, refused := range append(map[string][]string{
		"mariadb":  {"SELECT * FROM mysql.global_priv", "SET GLOBAL max_connections = 1", "DROP DATABASE ds2", "SHUTDOWN", "GRANT SELECT ON orders TO web"},
		"postgres": {"SELECT rolpassword FROM pg_authid", "ALTER SYSTEM SET fsync = off", "CHECKPOINT", "CREATE SCHEMA mine"},
	}[b.Engine.Name()], "CREATE TABLE mine (id int)", "DROP TABLE orders", "CREATE DATABASE mine", "CREATE USER mine") {
		if _, err := user.ExecContext(t.Context(), refused); err == nil {
			t.Errorf("the user may: %s", refused)
		}
	}
}
