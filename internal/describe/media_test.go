package describe

import "testing"

func TestMediaKindIn(t *testing.T) {
	for words, want := range map[string]string{
		"hard disk, 7200 rpm": HardDisk, "solid-state drive, SAS": SolidState, "NVMe": NVMe, "memory": Memory,
		"hard disk, 7200 rpm, SAS, NVMe hot tier": NVMe, "virtual disk": "", "": "",
	} {
		if got := MediaKindIn(words); got != want {
			t.Errorf("%q is %q, want %q", words, got, want)
		}
	}
}
