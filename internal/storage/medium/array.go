package medium

// memberSpec is the spec of one drive of a set.
func memberSpec(s Spec) Spec {
	s.RAID, s.Lies = nil, false
	return s
}

func newArray(r RAID, member Spec, size int64) Model { return New(member, size/int64(r.Drives)) }
