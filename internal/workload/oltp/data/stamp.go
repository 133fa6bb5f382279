package data

// Stamp names the transaction that wrote a text. It is the last three groups of
// c and pad, where sysbench has random digits: 5 digits of instance and 6 of
// user, then 17 of number and 5 zeros. The groups before it are drawn from the
// stamp and the row's place, so that a text at another place, or mixed of two,
// is recognised.
type Stamp struct {
	Instance int
	User     int
	// Number tells the transactions of a user apart and grows with time: it is
	// the microsecond in which the transaction began.
	Number int64
}

// Limits of a stamp, and how its digits are split over groups.
const (
	MaxInstance   = 99_999
	MaxUser       = 999_999
	stampGroups   = 3
	stampLength   = stampGroups*(groupDigits+1) - 1
	userLimit     = MaxUser + 1
	numberLow     = 1_000_000 // the last group holds so much of the number
	numberPadding = 100_000   // and is multiplied by so much
)

// Writer makes stamped texts. One goroutine uses it at a time.
type Writer struct{ random *stream }

// NewWriter returns a writer.
func NewWriter() Writer { return Writer{newStream()} }

// AppendC appends a stamped text for column c of a row.
func (w Writer) AppendC(b []byte, s Stamp, table int, id int64) []byte {
	return w.append(b, s, table, id, cGroups, 0)
}

// AppendPad appends a stamped text for column pad of a row.
func (w Writer) AppendPad(b []byte, s Stamp, table int, id int64) []byte {
	return w.append(b, s, table, id, padGroups, 1)
}

func (w Writer) append(b []byte, s Stamp, table int, id int64, groups int, column uint64) []byte {
	w.random.source.Seed(mix(uint64(s.Instance)*userLimit+uint64(s.User))^uint64(s.Number), mix(uint64(table)<<1|column)^uint64(id))
	b = append(appendGroups(b, w.random.Rand, groups-stampGroups), '-')
	b = appendDigits(b, uint64(s.Instance)*userLimit+uint64(s.User))
	b = append(b, '-')
	b = appendDigits(b, uint64(s.Number)/numberLow)
	b = append(b, '-')
	return appendDigits(b, uint64(s.Number)%numberLow*numberPadding)
}

// ParseStamp reads the stamp at the end of a text. It is false where there is
// none; where there is, the text may still be wrong.
func ParseStamp(text []byte) (Stamp, bool) {
	if len(text) < stampLength {
		return Stamp{}, false
	}
	var groups [stampGroups]int64
	for i := range groups {
		at := len(text) - stampLength + i*(groupDigits+1)
		n, ok := parseDigits(text[at : at+groupDigits])
		if !ok || i > 0 && text[at-1] != '-' {
			return Stamp{}, false
		}
		groups[i] = n
	}
	if groups[2]%numberPadding != 0 {
		return Stamp{}, false
	}
	return Stamp{
		Instance: int(groups[0] / userLimit), User: int(groups[0] % userLimit),
		Number: groups[1]*numberLow + groups[2]/numberPadding,
	}, true
}

func parseDigits(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}
