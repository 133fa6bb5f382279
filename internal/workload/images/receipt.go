package images

import (
	"encoding/json"

	"plimsoll/internal/workload"
)

// receipt is one item that was moved, or whose outcome an error left open.
type receipt struct {
	Item int    `json:"item"`
	Name string `json:"name"` // of the copy
	Open bool   `json:"open,omitempty"`
	// CRC and Bytes describe the file that an export produced.
	CRC   uint32 `json:"crc,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
}

func (r receipt) bytes() []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has nothing that JSON has not
	}
	return text
}

func readReceipt(b []byte) (r receipt, err error) {
	if json.Unmarshal(b, &r) != nil || r.Item < 0 || r.Name == "" {
		return r, workload.ErrReceipt
	}
	return r, nil
}
