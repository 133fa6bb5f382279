package sqldb

import (
	"reflect"
	"testing"
)

func TestRowsOfBulkInsertsHaveTheTypesOfTheirColumns(t *testing.T) {
	columns := []bulkColumn{{"ID", isInteger("INT")}, {"KIND", isInteger("TINYINT")}, {"PRICE", isInteger("DECIMAL")}, {"NAME", isInteger("VARCHAR")}}
	got, err := columnValues(columns, "17\t\\N\t19.99\tuser17")
	if want := []any{int64(17), nil, "19.99", "user17"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%#v, %v; want %#v", got, err, want)
	}
	for _, line := range []string{"17\t1\t19.99", "x\t1\t1.00\ta"} {
		if _, err := columnValues(columns, line); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
}
