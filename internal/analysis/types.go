package analysis

import (
	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/model"
)

// The types of an analysis, for those that read one.
type (
	Analysis            = model.Analysis
	StudyInfo           = model.StudyInfo
	RunInfo             = model.RunInfo
	Sentence            = model.Sentence
	Answer              = model.Answer
	Finding             = model.Finding
	Change              = model.Change
	PredictionScore     = model.PredictionScore
	Variant             = model.Variant
	TrialInfo           = model.TrialInfo
	Best                = model.Best
	Fraction            = model.Fraction
	Topology            = model.Topology
	Part                = model.Part
	Setting             = model.Setting
	SettingValue        = model.SettingValue
	Factor              = model.Factor
	Level               = model.Level
	Pair                = model.Pair
	List                = items.List
	Published           = model.Published
	PublishedComparison = model.PublishedComparison
	ClaimResult         = model.ClaimResult
	GrowthCurve         = model.GrowthCurve
	GrowthPoint         = model.GrowthPoint
	Tile                = model.Tile
	AnswerPart          = model.AnswerPart
	Caveat              = model.Caveat
	AnswerBound         = model.AnswerBound
	Doubt               = model.Doubt
	TileRung            = model.TileRung
	Interference        = model.Interference
	Responses           = model.Responses
	ReferenceResult     = model.ReferenceResult
	Counterpart         = model.Counterpart
	CounterpartRung     = model.CounterpartRung
	ReferenceFigure     = model.ReferenceFigure
	Reply               = model.Reply
	ReplyGroup          = model.ReplyGroup
	ReplyCell           = model.ReplyCell
	ReplyFigure         = model.ReplyFigure
)

// ReferenceMetrics are the metrics of the unit of work that CounterpartRung.Metrics may hold.
var ReferenceMetrics = model.ReferenceMetrics

// LeftOut is the status of a trial that another attempt replaces.
const LeftOut = model.LeftOut
