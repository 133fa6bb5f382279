package sqlserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/microsoft/go-mssqldb"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// objects lists the users' objects: tables, views, sequences, routines and full-text
// catalogs, without the server's own and without parts of other objects.
const objects = `
select case type when 'U' then 'table' when 'V' then 'view' when 'SO' then 'sequence' when 'P' then 'procedure' else 'function' end as kind,
	quotename(schema_name(schema_id)) + '.' + quotename(name) as name
from sys.objects
where is_ms_shipped = 0 and parent_object_id = 0 and type in ('U', 'V', 'SO', 'P', 'FN', 'IF', 'TF')
union all
select 'fulltext catalog', quotename(name) from sys.fulltext_catalogs
order by 1, 2`

func borrowing() app.Borrowing {
	return app.Borrowing{
		Open:    open,
		Objects: objects,
		Insert:  "insert into " + app.Mark + " (number, kind, name) values (@p1, @p2, @p3)",
		Gone:    gone,
		Drop:    drop,
	}
}

// gone knows the error when a database cannot be opened.
func gone(err error) bool {
	const cannotOpen = 4060
	answer, ok := errors.AsType[mssql.Error](err)
	return ok && answer.Number == cannotOpen
}

// drop drops the foreign keys of tables before the tables: those may refer to each other.
// A full text index goes with its table, and its catalog after it.
func drop(all []app.Object) (statements []string) {
	if tables := app.Names(all, "table"); len(tables) > 0 {
		statements = append(statements, fmt.Sprintf(dropReferences, objectIDs(tables)))
	}
	for _, kind := range []string{"view", "table", "sequence", "procedure", "function", "fulltext catalog"} {
		for _, name := range app.Names(all, kind) {
			statements = append(statements, "drop "+kind+" "+name)
		}
	}
	return statements
}

const dropReferences = `declare @drop nvarchar(max) = (
	select string_agg(cast('alter table ' + quotename(schema_name(t.schema_id)) + '.' + quotename(t.name) + ' drop constraint ' + quotename(k.name) as nvarchar(max)), '; ')
	from sys.foreign_keys k join sys.tables t on t.object_id = k.parent_object_id
	where t.object_id in (%s)); exec (@drop)`

// objectIDs looks tables up by their names, which are quoted as SQL writes them.
func objectIDs(tables []string) string {
	all := make([]string, len(tables))
	for i, name := range tables {
		all[i] = "object_id(N'" + strings.ReplaceAll(name, "'", "''") + "')"
	}
	return strings.Join(all, ", ")
}

// Claim implements app.Borrower.
func (Engine) Claim(ctx context.Context, e endpoint.Endpoint, run string, takeOver bool) error {
	return borrowing().Claim(ctx, e, run, takeOver)
}

// Note implements app.Borrower.
func (Engine) Note(ctx context.Context, e endpoint.Endpoint) error { return borrowing().Note(ctx, e) }

// Release implements app.Borrower.
func (Engine) Release(ctx context.Context, e endpoint.Endpoint, run string) error {
	return borrowing().Release(ctx, e, run)
}
