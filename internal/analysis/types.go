package analysis

import (
	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/model"
)

// The types of an analysis, for those that read one.
type (
	Analysis        = model.Analysis
	StudyInfo       = model.StudyInfo
	RunInfo         = model.RunInfo
	Sentence        = model.Sentence
	Answer          = model.Answer
	Finding         = model.Finding
	Change          = model.Change
	Variant         = model.Variant
	TrialInfo       = model.TrialInfo
	Best            = model.Best
	Fraction        = model.Fraction
	Topology        = model.Topology
	Part            = model.Part
	Setting         = model.Setting
	SettingValue    = model.SettingValue
	Factor          = model.Factor
	Level           = model.Level
	Pair            = model.Pair
	List            = items.List
	Published       = model.Published
	Beside          = model.Beside
	Relative        = model.Relative
	RelativePoint   = model.RelativePoint
	Tile            = model.Tile
	TileRung        = model.TileRung
	Interference    = model.Interference
	Responses       = model.Responses
	Against         = model.Against
	Counterpart     = model.Counterpart
	CounterpartRung = model.CounterpartRung
	Held            = model.Held
	Reply           = model.Reply
	ReplyGroup      = model.ReplyGroup
	ReplyCell       = model.ReplyCell
	ReplyFigure     = model.ReplyFigure
)

// HeldMetrics are the metrics of the unit of work that CounterpartRung.Metrics may hold.
var HeldMetrics = model.HeldMetrics

// LeftOut is the status of a trial that another attempt replaces.
const LeftOut = model.LeftOut
