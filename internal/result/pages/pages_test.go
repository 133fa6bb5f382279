package pages

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// compact writes structures of Thrift's compact protocol.
type compact struct{ bytes.Buffer }

func (c *compact) number(delta byte, v int64) *compact {
	c.WriteByte(delta<<4 | isI32)
	c.Write(binary.AppendUvarint(nil, uint64(v<<1)^uint64(v>>63)))
	return c
}

func (c *compact) begin(delta byte) *compact {
	c.WriteByte(delta<<4 | isStruct)
	return c
}

func (c *compact) end() *compact {
	c.WriteByte(0)
	return c
}

// page is a data page of version 1.
func page(unpacked, values int64, encoding format.Encoding, body []byte) []byte {
	c := new(compact)
	c.number(1, dataPage).number(1, unpacked).number(1, int64(len(body))).begin(2).number(1, values).number(1, int64(encoding)).number(1, 3).number(1, 3).end().end()
	return append(c.Bytes(), body...)
}

// squeezed is a text compressed by zstd, in several frames where several are given.
func squeezed(t *testing.T, texts ...[]byte) (all []byte) {
	t.Helper()
	for _, text := range texts {
		e, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = e.EncodeAll(text, all)
	}
	return all
}

// streamed is a text compressed by zstd in a frame that does not say its size.
func streamed(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func column(codec format.CompressionCodec, data []byte) Column {
	return Column{Meta: &format.ColumnMetaData{Codec: codec, DataPageOffset: 4, TotalCompressedSize: int64(len(data)), PathInSchema: []string{"x"}}, Single: true}
}

func run(count uint64, value ...byte) []byte {
	return append(binary.AppendUvarint(nil, count<<1), value...)
}

// Pages that declare what they have not, or unpack to more than they declare, take no memory.
func TestForgedPages(t *testing.T) {
	zeros := make([]byte, 8<<20)
	deltas := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), math.MaxInt32)
	for what, of := range map[string]struct {
		codec format.CompressionCodec
		page  []byte
		want  string
	}{
		"more bytes than there are":         {format.Uncompressed, new(compact).number(1, 0).number(1, 8).number(1, 1<<30).end().Bytes(), "are left"},
		"negative bytes":                    {format.Uncompressed, new(compact).number(1, 0).number(1, -8).number(1, 0).end().Bytes(), "unpacks to -8"},
		"a page of 2 GiB":                   {format.Uncompressed, page(math.MaxInt32, 1, format.Plain, make([]byte, 8)), "the limit is"},
		"two thousand million values":       {format.Uncompressed, page(8, math.MaxInt32, format.Plain, make([]byte, 8)), "values; the limit is"},
		"a bomb":                            {format.Zstd, page(8, 1, format.Plain, squeezed(t, zeros)), "unpacks to more"},
		"a bomb that does not say so":       {format.Zstd, page(8, 1, format.Plain, streamed(t, zeros)), "unpacks to more"},
		"a bomb behind a page":              {format.Zstd, page(8, 1, format.Plain, squeezed(t, zeros[:8], zeros)), "something follows"},
		"a long text in a header":           {format.Uncompressed, append(new(compact).number(1, 0).Bytes(), 7<<4|isBinary, 0xff, 0xff, 0xff, 0xff, 7), "longer than its place"},
		"a run of a dictionary's places":    {format.Uncompressed, page(8, 4, format.RLEDictionary, append([]byte{1}, run(math.MaxInt32, 0)...)), "has more of them"},
		"many runs":                         {format.Uncompressed, page(8, 4, format.RLEDictionary, append([]byte{1}, bytes.Repeat(run(500, 0), 10)...)), "has more of them"},
		"differences":                       {format.Uncompressed, page(8, 4, format.DeltaBinaryPacked, deltas), "differences"},
		"prefixes that are used again":      {format.Uncompressed, page(8, 4, format.DeltaByteArray, make([]byte, 8)), "not read"},
		"a codec of which nothing is known": {format.Lz4Raw, page(8, 4, format.Plain, make([]byte, 8)), "not read"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := column(of.codec, of.page).Check(bytes.NewReader(append([]byte("PAR1"), of.page...)))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), of.want) || !strings.Contains(err.Error(), "column [x]") {
			t.Errorf("%s: %v; want %q", what, err, of.want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%s: %d MB were allocated", what, took>>20)
		}
	}
}

// Pages that just keep to what they declare are read.
func TestPagesAsTheyAre(t *testing.T) {
	body := make([]byte, 1<<20)
	for what, of := range map[string]struct {
		codec format.CompressionCodec
		page  []byte
	}{
		"plain":                  {format.Uncompressed, page(8, 1, format.Plain, body[:8])},
		"compressed":             {format.Zstd, page(1<<20, 1<<17, format.Plain, squeezed(t, body))},
		"without a size":         {format.Zstd, page(1<<20, 1<<17, format.Plain, streamed(t, body))},
		"all in one run":         {format.Uncompressed, page(8, 1<<20, format.RLEDictionary, append([]byte{1}, run(1<<20, 0)...))},
		"packed bits, filled up": {format.Uncompressed, page(8, 1, format.RLEDictionary, []byte{1, 1<<1 | 1, 0})},
		"none":                   {format.Zstd, page(0, 0, format.Plain, nil)},
	} {
		if err := column(of.codec, of.page).Check(bytes.NewReader(append([]byte("PAR1"), of.page...))); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A footer whose lists or texts are longer than the file takes no memory.
func TestForgedFooters(t *testing.T) {
	list := func(size uint64) []byte {
		return append(binary.AppendUvarint([]byte{2<<4 | isList, 0xf0 | isStruct}, size), 0)
	}
	deep := bytes.Repeat([]byte{1<<4 | isStruct}, 1000)
	for what, of := range map[string]struct {
		footer []byte
		want   string
	}{
		"a list of 2^31 row groups": {append(list(math.MaxInt32), 0), "longer than its place"},
		"a list of 2^63":            {append(list(1<<63), 0), "longer than its place"},
		"a million empty rows":      {append(append(list(mostElements+1), make([]byte, mostElements+1)...), 0), "elements"},
		"structures without end":    {deep, "lie within each other"},
		"an unknown type":           {[]byte{1<<4 | 14, 0}, "type 14"},
	} {
		file := append(append([]byte("PAR1"), of.footer...), make([]byte, 8)...)
		if err := Footer(bytes.NewReader(file), int64(len(file)), int64(len(of.footer))); err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %v; want %q", what, err, of.want)
		}
	}
	file := append([]byte("PAR1"), append(list(1), make([]byte, 9)...)...)
	if err := Footer(bytes.NewReader(file), int64(len(file)), int64(len(file)-12)); err != nil {
		t.Errorf("a list of one: %v", err)
	}
}

// What a footer says of a row group fits into the file.
func TestForgedGroups(t *testing.T) {
	good := func() *format.RowGroup {
		return &format.RowGroup{NumRows: MostRows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{DataPageOffset: 4, TotalCompressedSize: 96, NumValues: mostInGroup, TotalUncompressedSize: mostOfGroup}}}}
	}
	if err := Group(good(), 100); err != nil {
		t.Error(err)
	}
	for what, forge := range map[string]func(g *format.RowGroup, m *format.ColumnMetaData){
		"rows":             func(g *format.RowGroup, _ *format.ColumnMetaData) { g.NumRows++ },
		"negative rows":    func(g *format.RowGroup, _ *format.ColumnMetaData) { g.NumRows = -1 },
		"beyond the end":   func(_ *format.RowGroup, m *format.ColumnMetaData) { m.TotalCompressedSize++ },
		"before the start": func(_ *format.RowGroup, m *format.ColumnMetaData) { m.DataPageOffset = -5 },
		"an overflow":      func(_ *format.RowGroup, m *format.ColumnMetaData) { m.DataPageOffset = math.MaxInt64 },
		"values":           func(_ *format.RowGroup, m *format.ColumnMetaData) { m.NumValues++ },
		"bytes":            func(_ *format.RowGroup, m *format.ColumnMetaData) { m.TotalUncompressedSize++ },
	} {
		g := good()
		forge(g, &g.Columns[0].MetaData)
		if Group(g, 100) == nil {
			t.Errorf("a row group with too many %s is read", what)
		}
	}
}
