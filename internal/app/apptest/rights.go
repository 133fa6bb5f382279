package apptest

import "testing"

// rights asks for what a shop needs as the declared user, and for more.
func (b bench) rights(t *testing.T) {
	p, c := b.platform(t), b.config("rights")
	v := b.initialised(t, p, c)
	proc := b.start(t, p, c, v)
	admin := b.open(t, proc)
	serial := map[string]string{"mariadb": "int AUTO_INCREMENT", "postgres": "serial"}[b.Engine.Name()]
	execute(t, admin, "CREATE TABLE orders (id "+serial+" PRIMARY KEY, total int)")
	user := b.openTarget(t, proc.Endpoint())
	execute(t, user, "INSERT INTO orders (total) VALUES (1), (2), (3)", "UPDATE orders SET total = 5 WHERE id = 1", "DELETE FROM orders WHERE id = 2")
	if n := rows(t, user); n != 2 {
		t.Errorf("the user sees %d of 2 rows", n)
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
