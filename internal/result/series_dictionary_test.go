package result

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"plimsoll/test/quick"
)

// foreign is a row as programs write it that know nothing of how ours encodes it: everything
// may be missing and has a dictionary.
type foreign struct {
	Kind    *string   `parquet:"kind,optional,dict"`
	Name    *string   `parquet:"name,optional,dict"`
	Metric  *string   `parquet:"metric,optional,dict"`
	Machine *string   `parquet:"machine,optional,dict"`
	Unit    *string   `parquet:"unit,optional,dict"`
	Start   *int64    `parquet:"start,optional,dict"`
	Times   []int64   `parquet:"times,optional,list" parquet-element:",dict"`
	Values  []float64 `parquet:"values,optional,list" parquet-element:",dict"`
}

func foreignFile(t *testing.T, all []Series, options ...parquet.WriterOption) []byte {
	t.Helper()
	var file bytes.Buffer
	w := parquet.NewGenericWriter[foreign](&file, options...)
	for _, s := range all {
		if _, err := w.Write([]foreign{{&s.Kind, &s.Name, &s.Metric, &s.Machine, &s.Unit, &s.Start, s.Times, s.Values}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Telemetry that another program wrote anew is read, whatever its encoding.
func TestSeriesOfOtherWriters(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	random := rand.New(rand.NewPCG(1, 2))
	var all []Series
	for i := range 40 {
		s := Series{Kind: []string{"cpu", "device", "operation"}[i%3], Name: fmt.Sprint("n", i), Metric: "m", Machine: fmt.Sprint("w", i%2), Unit: "1", Start: 1000}
		for n := range random.IntN(500) {
			s.Times, s.Values = append(s.Times, int64(n)*1000), append(s.Values, float64(random.IntN(7)))
		}
		all = append(all, s)
	}
	for name, codec := range map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd, "brotli": &parquet.Brotli} {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprint(name, " pages of version ", version), func(t *testing.T) {
				file := foreignFile(t, all, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(512))
				got, err := gathered(eachSeries(bytes.NewReader(file), int64(len(file))))
				if diff := cmp.Diff(all, got); err != nil || diff != "" {
					t.Errorf("%v (-written +read):\n%s", err, diff)
				}
				one, err := gathered(eachSeries(bytes.NewReader(file), int64(len(file)), "device"))
				if err != nil || len(one) != 13 {
					t.Errorf("%d series of devices, %v", len(one), err)
				}
			})
		}
	}
}

// A column of another type is refused by its name, and nothing of it taken for something else.
func TestSeriesOfAnotherType(t *testing.T) {
	var file bytes.Buffer
	type row struct {
		Kind   string    `parquet:"kind"`
		Name   string    `parquet:"name"`
		Metric string    `parquet:"metric"`
		Unit   string    `parquet:"unit"`
		Start  int64     `parquet:"start"`
		Times  []int64   `parquet:"times,list"`
		Values []float32 `parquet:"values,list"`
	}
	w := parquet.NewGenericWriter[row](&file)
	if _, err := w.Write([]row{{Kind: "cpu", Times: []int64{1}, Values: []float32{1}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := gathered(eachSeries(bytes.NewReader(file.Bytes()), int64(file.Len())))
	if want := "read series: its column values.list.element is of type FLOAT, not DOUBLE; write it with the types that it had"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// What would be read wrongly is refused by its name.
func TestSeriesOfAnUnreadCompression(t *testing.T) {
	file := foreignFile(t, []Series{{Kind: "cpu", Times: []int64{1}, Values: []float64{1}}}, parquet.Compression(&parquet.Lz4Raw))
	_, err := gathered(eachSeries(bytes.NewReader(file), int64(len(file))))
	if want := "read series: it is compressed by LZ4_RAW, which is not read; write it again with zstd, snappy or gzip"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
