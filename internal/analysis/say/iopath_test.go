package say

import (
	"testing"

	"plimsoll/internal/analysis/iopath"
)

func TestHowRequestsChange(t *testing.T) {
	flow := func(bytes float64, sequential ...float64) *iopath.Flow {
		f := &iopath.Flow{Bytes: bytes}
		if len(sequential) > 0 {
			f.Sequential = &sequential[0]
		}
		return f
	}
	for want, moves := range map[string][]iopath.Move{
		"": nil,
		"Writes of 16 KiB at random arrive at the disks as 63 KiB, 71 % sequential.": {{Known: true, From: flow(16384, 0), To: flow(64512, 0.71)}},
		"Reads of 64 KiB in sequence arrive at the disks as 1 MiB.":                  {{Known: true, Reads: true, From: flow(65536, 1), To: flow(1 << 20)}},
		"Reads of 4 KiB, 30 % sequential, arrive at the disks as 4 KiB, 90 % sequential; writes of 8 KiB, as they are handed to the kernel, arrive at the disks as 100 KiB.": {
			{Known: true, Reads: true, From: flow(4096, 0.3), To: flow(4096, 0.9)}, {From: flow(8192), To: flow(102400.4)},
		},
	} {
		if got := pathText(moves); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
