package limit

import (
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/text/words"
)

// Requests says how many of the requests at the disks were writes where the line ends; false
// where that was not measured.
func Requests(s *setup.Subject, v *model.Variant) (model.Finding, bool) {
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if r == nil || r.Requests == nil {
		return model.Finding{}, false
	}
	f := RequestsAt(v.Name, say.Count(r.Instances, s.Noun), *r.Requests)
	f.Variant, f.Rung, f.Trials = v.Name, r.Instances, r.Trials
	return f, true
}

// RequestsAt states the load on the disks of a variant with so many instances or tiles.
//
// Needs: What the devices that the storage class names completed, in every trial at that count.
func RequestsAt(variant, count string, r resource.Requests) model.Finding {
	return model.Finding{
		ID: string(model.RequestsFinding) + "-" + variant, Kind: model.RequestsFinding,
		Numbers: map[string]float64{
			"reads": r.Reads, "writes": r.Writes, "read_bytes": r.ReadBytes, "written_bytes": r.WrittenBytes,
			"write_share": r.WriteShare(), "written_share": r.WrittenShare(),
		},
		Text: say.F("At %s, %s of the %s requests/s at the disks of `%s` were writes, and %s of the bytes.",
			count, words.Percent(r.WriteShare()), words.Number(r.Reads+r.Writes), variant, words.Percent(r.WrittenShare())),
	}
}
