package workload_test

import (
	"testing"

	"plimsoll/internal/workload"
)

// A data set of several roles has one key, only if each of them has one, and adds up what
// all their mounts hold.
func TestDatasetOfSeveralRoles(t *testing.T) {
	d := workload.Dataset{Roles: map[string]workload.Contents{
		"db": {Key: "rows", Database: "shop", User: "web", Space: workload.Space{Bytes: 10}, Mounts: map[string]workload.Space{"log": {Bytes: 2, Files: 1}}},
		"s3": {Key: "pictures", Space: workload.Space{UserBytes: 5}},
	}}
	if key := d.Key(); key != "rows+pictures" {
		t.Errorf("key %q", key)
	}
	if all := d.Space(); all != (workload.Space{Bytes: 12, UserBytes: 5, Files: 1}) {
		t.Errorf("space %+v", all)
	}
	if database, user := d.Login(workload.Role{Name: "web", After: []string{"s3", "db"}}); database != "shop" || user != "web" {
		t.Errorf("a role that uses the database looks for %q as %q", database, user)
	}
	if database, _ := d.Login(workload.Role{Name: "s3"}); database != "" {
		t.Errorf("a role without a database looks for %q", database)
	}
	d.Roles["cache"] = workload.Contents{}
	if key := d.Key(); key != "" {
		t.Errorf("key %q although one role has none", key)
	}
	if key := (workload.Dataset{}).Key(); key != "" {
		t.Errorf("the key of nothing is %q", key)
	}
}
