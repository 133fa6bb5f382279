package sqlserver

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/microsoft/go-mssqldb"

	"plimsoll/internal/client/sqlwire"
)

// argument is a value as the library is to send it: a number as int, or bigint where it
// does not fit one, a text as varchar. As nvarchar, which the library sends strings as, a
// text would have every index on varchar columns converted and read as a whole.
func argument(b *sqlwire.Batch, v sqlwire.Value) driver.Value {
	switch {
	case v.IsText:
		return mssql.VarChar(b.TextOf(v))
	case math.MinInt32 <= v.Number && v.Number <= math.MaxInt32:
		return int32(v.Number)
	}
	return v.Number
}

// cell keeps a value that the library has read: integers and bits as a number, everything
// else as text.
func (c *conn) cell(v driver.Value) sqlwire.Cell {
	from := len(c.texts)
	switch v := v.(type) {
	case nil:
		return sqlwire.Cell{}
	case int64:
		return sqlwire.Cell{Number: v}
	case bool:
		if v {
			return sqlwire.Cell{Number: 1}
		}
		return sqlwire.Cell{}
	case []byte: // decimal, money, binary
		c.texts = append(c.texts, v...)
	case string:
		c.texts = append(c.texts, v...)
	case float64:
		c.texts = strconv.AppendFloat(c.texts, v, 'g', -1, 64)
	case time.Time:
		c.texts = v.AppendFormat(c.texts, layout(v))
	default:
		c.texts = fmt.Append(c.texts, v)
	}
	return sqlwire.Cell{From: int32(from), To: int32(len(c.texts))}
}

// layout writes a date without a time of day.
func layout(t time.Time) string {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return time.DateOnly
	}
	return time.DateTime
}
