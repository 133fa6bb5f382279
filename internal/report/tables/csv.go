package tables

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/analysis"
)

// CSVNames lists the tables in CSV.
func CSVNames() []string { return names(inCSV) }

// CSV writes one table with a header row. Times are in seconds, shares are fractions, throughput is
// in the study's unit; numbers that are not known are empty. Tables are kept apart because each has
// its own row.
func CSV(w io.Writer, a *analysis.Analysis, name string) error {
	t, err := find(inCSV, name)
	if err != nil {
		return err
	}
	columns := fieldsOf(t.row, "csv")
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.name
	}
	out := csv.NewWriter(w)
	_ = out.Write(record) // Flush has its error
	rows := reflect.ValueOf(t.rows(a))
	for n := range rows.Len() {
		for i, c := range columns {
			record[i] = c.text(rows.Index(n).FieldByIndex(c.Index))
		}
		_ = out.Write(record)
	}
	if out.Flush(); out.Error() != nil {
		return fmt.Errorf("writing the CSV table %s: %w", name, out.Error())
	}
	return nil
}

// text writes a value so that it reads back to the same one.
func (f field) text(v reflect.Value) string {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	} else if f.optional && v.IsZero() || v.Kind() == reflect.Pointer {
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		return asText(v.String())
	case reflect.Float64:
		if !finite(v.Float()) {
			return ""
		}
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	if t, is := v.Interface().(time.Time); is {
		return t.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return fmt.Sprint(v.Interface())
}

const month = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// mistaken are texts that spreadsheets take for something else and change: dates and times
// (1-2, 3/4/26, MAR1, 7:30), numbers that would be written otherwise (3E5, 0012, 50 %, 17 digits
// or more). Numbers of ours have neither exponents nor leading zeros.
var mistaken = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
	`\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?`, `\d{1,2}\.\d{1,2}\.\d{1,4}`,
	`\d{1,4}[-/. ]?` + month, month + `[-/. ]?\d{1,4}`,
	`\d+:\d+(?::\d+)?(?: ?[ap]m)?`,
	`\d*\.?\d+e[+-]?\d+`, `0\d+`, `\d{17,}`, `\d+(?:[.,]\d+)? ?%`,
}, "|") + `)$`)

// asText keeps a spreadsheet from taking text for something else: for a formula, which could
// start programs (OWASP, "CSV Injection"), or for what mistaken describes. An apostrophe
// before it says that it is text.
func asText(cell string) string {
	if _, err := strconv.ParseFloat(cell, 64); err == nil && !mistaken.MatchString(cell) || cell == "" {
		return cell
	}
	if strings.ContainsRune("=+-@\t\r", rune(cell[0])) || mistaken.MatchString(cell) {
		return "'" + cell
	}
	return cell
}
