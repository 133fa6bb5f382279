package result

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"plimsoll/internal/result/pages"
)

// checkedGroup is a row group that checks each column before it is read.
type checkedGroup struct {
	parquet.RowGroup
	columns []format.ColumnChunk
	from    io.ReaderAt
}

// checkedGroups are the row groups of a file, if what its footer says of them can be.
func checkedGroups(f *parquet.File, r io.ReaderAt, size int64) ([]parquet.RowGroup, error) {
	groups := f.RowGroups()
	said := f.Metadata().RowGroups
	for i, g := range groups {
		if err := pages.Group(&said[i], size); err != nil {
			return nil, err
		}
		for at, c := range said[i].Columns { // the library unpacks all groups as the first
			if c.MetaData.Codec != said[0].Columns[at].MetaData.Codec {
				return nil, errors.New("damaged file: a column is compressed in several ways")
			}
		}
		groups[i] = checkedGroup{g, said[i].Columns, r}
	}
	return groups, nil
}

// check checks the pages of a column.
func (g checkedGroup) check(column parquet.LeafColumn) error {
	if int(column.ColumnIndex) >= len(g.columns) {
		return errors.New("damaged file: a row group has too few columns")
	}
	return pages.Column{
		Meta:       &g.columns[column.ColumnIndex].MetaData,
		Repetition: int(column.MaxRepetitionLevel), Definition: int(column.MaxDefinitionLevel), Single: column.MaxRepetitionLevel == 0,
	}.Check(g.from)
}

// textPool keeps one copy of each text, however many rows have it.
type textPool map[string]string

// text is a value's own copy: pages are used again.
func (i textPool) text(v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	kept, ok := i[string(v.ByteArray())]
	if !ok {
		kept = string(v.ByteArray())
		i[kept] = kept
	}
	return kept
}
