package tpcds

import (
	"context"
	"fmt"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload/sqldb"
)

// The database of Iceberg's catalogue, Trino's user there, and the catalogue's size without
// tables.
const (
	catalogDatabase = "lake"
	catalogUser     = "web"
	catalogBytes    = 1 << 20
)

// catalogTables is the schema of Iceberg's JDBC catalogue, version 1, which Trino expects
// to exist (https://trino.io/docs/current/object-storage/metastores.html#jdbc-catalog).
var catalogTables = []string{
	`create table iceberg_tables (
		catalog_name varchar(255) not null, table_namespace varchar(255) not null, table_name varchar(255) not null,
		metadata_location varchar(1000), previous_metadata_location varchar(1000), iceberg_type varchar(5),
		primary key (catalog_name, table_namespace, table_name))`,
	`create table iceberg_namespace_properties (
		catalog_name varchar(255) not null, namespace varchar(255) not null, property_key varchar(255) not null,
		property_value varchar(1000), primary key (catalog_name, namespace, property_key))`,
}

// makeCatalog makes the tables of the catalogue in an empty database.
func makeCatalog(ctx context.Context, e endpoint.Endpoint) error {
	db, err := sqldb.Open(ctx, e, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range catalogTables {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("make the tables of Iceberg's catalogue: %w", err)
		}
	}
	return nil
}
