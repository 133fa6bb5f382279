package study

import "testing"

// What answers a question follows from the study where it does not say it.
func TestWhatAStudyAsks(t *testing.T) {
	errors, mean := Objective{Metric: "errors"}, Objective{Metric: "mean"}
	storage := Factor{Path: "storage", Levels: []any{"a", "b", "c"}}
	offload := Factor{Path: "engine.settings.offload", Levels: []any{"off", "on"}}
	ladder := Ladder{Rungs: []int{1, 2}}
	for want, s := range map[Answer]Study{
		{Kind: Survival}:                                        {Faults: make([]Event, 1), Application: Application{Objectives: []Objective{mean}}},
		{Kind: Capacity}:                                        {Application: Application{Objectives: []Objective{errors, mean}}, Matrix: Matrix{Factors: []Factor{storage, offload}}},
		{Kind: Effect, Factor: offload.Path}:                    {Application: Application{Objectives: []Objective{errors}}, Matrix: Matrix{Factors: []Factor{storage, offload}}},
		{Kind: Comparison, Factor: "storage"}:                   {Matrix: Matrix{Factors: []Factor{storage}}},
		{Kind: Comparison, Factor: "storage", Per: PerInstance}: {Answer: Answer{Per: PerInstance}, StorageOrder: []string{"a", "b"}, Ladder: ladder}, // without a matrix
		{Kind: Scaling}:                                         {Application: Application{Objectives: []Objective{errors}}, Ladder: ladder},
		{Kind: Effect, Factor: "storage", Per: PerDrive}:        {Answer: Answer{Kind: Effect, Factor: "storage", Per: PerDrive}, Application: Application{Objectives: []Objective{mean}}},
		{Kind: Comparison, Factor: "storage", Per: PerCore}:     {Answer: Answer{Kind: Comparison, Per: PerCore}, Matrix: Matrix{Factors: []Factor{offload, storage}}},
	} {
		if got := s.Asks(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
