package next

import "testing"

func TestAClimbEndsWithTheGateOrTheScore(t *testing.T) {
	q := Query{Rungs: []int{1, 2, 4, 8}, To: 8, Repetitions: 2}
	met := func(rung, trials int, score float64) Rung {
		return Rung{Rung: rung, Trials: trials, Met: true, Score: score}
	}
	for _, c := range []struct {
		name  string
		asked []Rung
		want  Step
	}{
		{"at first", nil, Step{Rung: 1, Repetition: 1}},
		{"repeat", []Rung{met(1, 1, 1)}, Step{Rung: 1, Repetition: 2}},
		{"next", []Rung{met(1, 2, 1)}, Step{Rung: 2, Repetition: 1}},
		{"a score that is not known ends nothing", []Rung{met(1, 2, 1), met(2, 2, 0)}, Step{Rung: 4, Repetition: 1}},
		{"the gate", []Rung{met(1, 2, 1), {Rung: 2, Trials: 2, Score: 2}}, Step{Done: true}},
		{"the score", []Rung{met(1, 2, 1), met(2, 2, 1.9), met(4, 2, 1.9)}, Step{Done: true}},
		{"the end", []Rung{met(1, 2, 1), met(2, 2, 2), met(4, 2, 3), met(8, 2, 4)}, Step{Done: true}},
	} {
		if got := q.Next(c.asked); got.Rung != c.want.Rung || got.Repetition != c.want.Repetition || got.Done != c.want.Done || got.Why == "" {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	q.To = 2 // no more fit
	if got := q.Next([]Rung{met(1, 2, 1), met(2, 2, 2)}); !got.Done {
		t.Errorf("beyond what fits: %+v", got)
	}
}
