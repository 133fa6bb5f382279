package study

import (
	"reflect"
	"slices"
	"testing"
)

// What answers a question follows from the study where it does not say it.
func TestWhatAStudyAsks(t *testing.T) {
	errors, mean := Objective{Metric: "errors"}, Objective{Metric: "mean"}
	storage := Factor{Path: "storage", Levels: []any{"a", "b", "c"}}
	offload := Factor{Path: "engine.settings.offload", Levels: []any{"off", "on"}}
	ladder := Ladder{Rungs: []int{1, 2}}
	for _, c := range []struct {
		want Answer
		of   Study
	}{
		{Answer{Kind: Survival}, Study{Faults: make([]Event, 1), Application: Application{Objectives: []Objective{mean}}}},
		{Answer{Kind: Capacity}, Study{Application: Application{Objectives: []Objective{errors, mean}}, Matrix: Matrix{Factors: []Factor{storage, offload}}}},
		{Answer{Kind: Effect, Factor: offload.Path}, Study{Application: Application{Objectives: []Objective{errors}}, Matrix: Matrix{Factors: []Factor{storage, offload}}}},
		{Answer{Kind: Comparison, Factor: "storage"}, Study{Matrix: Matrix{Factors: []Factor{storage}}}},
		{Answer{Kind: Comparison, Factor: "storage", Per: PerInstance}, Study{Answer: Answer{Per: PerInstance}, StorageOrder: []string{"a", "b"}, Ladder: ladder}}, // without a matrix
		{Answer{Kind: Scaling}, Study{Application: Application{Objectives: []Objective{errors}}, Ladder: ladder}},
		{Answer{Kind: Effect, Factor: "storage", Per: PerDrive}, Study{Answer: Answer{Kind: Effect, Factor: "storage", Per: PerDrive}, Application: Application{Objectives: []Objective{mean}}}},
		{Answer{Kind: Comparison, Factor: "storage", Per: PerCore}, Study{Answer: Answer{Kind: Comparison, Per: PerCore}, Matrix: Matrix{Factors: []Factor{offload, storage}}}},
	} {
		got := c.of.Asks()
		if got.Parts = nil; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// The parts of a question follow from the study as well, and are otherwise as it says.
func TestTheParts(t *testing.T) {
	mean := Application{Objectives: []Objective{{Metric: "mean"}}}
	for _, c := range []struct {
		of   Study
		want []Asked
	}{
		{Study{Application: mean}, []Asked{HowMany, Differs, Limits}},
		{Study{Application: mean, Answer: Answer{Per: PerPrice}}, []Asked{HowMany, Differs, Cost, Limits}},
		{Study{Answer: Answer{Kind: Capacity}, Members: []Member{{Name: "shop"}, {Name: "mail"}}}, []Asked{HowMany, First, Limits}},
		{Study{Answer: Answer{Kind: Comparison}}, []Asked{Which, Limits}},
		{Study{Answer: Answer{Kind: Effect}}, []Asked{Differs, Limits}},
		{Study{Answer: Answer{Kind: Scaling}}, []Asked{HowMany, Limits}},
		{Study{Answer: Answer{Kind: OfRating}}, []Asked{HowMany}},
		{Study{Faults: make([]Event, 1)}, []Asked{Lost, HowLong}},
		{Study{Answer: Answer{Kind: Effect, Parts: []Asked{Limits, HowLong}}}, []Asked{Limits, HowLong}},
	} {
		if got := c.of.Asks().Parts; !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.of.Answer, got, c.want)
		}
	}
}
