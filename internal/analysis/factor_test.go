package analysis

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// varied makes samples of every combination of two pools, two operations and
// three file sizes, three times each: dispersed writes do twice what replicated
// ones do, and the same reads.
func varied() *result.Run {
	var samples []analysistest.Sample
	for _, pool := range []string{"replicated", "dispersed"} {
		for _, operation := range []string{"write", "read"} {
			for _, size := range []string{"4GB", "32KB", "128MB"} {
				for _, rung := range []int{1, 4} {
					for repetition := range 3 {
						opm := 1000 * float64(rung) * (1 + 0.001*float64(repetition))
						if pool == "dispersed" && operation == "write" {
							opm *= 2
						}
						samples = append(samples, analysistest.Sample{
							Variant: pool + "-" + operation + "-" + size, Rung: rung, OPM: opm, Mean: 0.1,
							Change: func(t *result.Trial) {
								t.Variant.Storages = map[string]study.Storage{t.Variant.StorageName: {Label: map[string]string{"dispersed": "disperse 4+2"}[pool]}}
								t.Variant.Factors = map[string]string{"storage": pool, "workload.parameters.operation": operation, "workload.parameters.file_size": size}
							},
						})
					}
				}
			}
		}
	}
	return analysistest.MadeUp(nil, samples...)
}

func TestFactorsHaveTheirLevels(t *testing.T) {
	a, err := Analyse(varied(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Factor{
		{Path: "storage", Name: "storage", Levels: []Level{{Level: "replicated", Label: "replicated"}, {Level: "dispersed", Label: "disperse 4+2"}}},
		{Path: "workload.parameters.file_size", Name: "file size", Unit: "B", Levels: []Level{{Level: "32KB", Label: "32KB", Value: 32e3}, {Level: "128MB", Label: "128MB", Value: 128e6}, {Level: "4GB", Label: "4GB", Value: 4e9}}},
		{Path: "workload.parameters.operation", Name: "operation", Levels: []Level{{Level: "write", Label: "write"}, {Level: "read", Label: "read"}}},
	}
	if !slices.EqualFunc(a.Factors, want, func(x, y Factor) bool {
		return x.Path == y.Path && x.Name == y.Name && x.Unit == y.Unit && slices.Equal(x.Levels, y.Levels)
	}) {
		t.Errorf("factors are %+v", a.Factors)
	}
}

// Of two factors that vary together one is enough, and what differs in both is
// still a pair.
func TestFactorsThatVaryTogetherAreOne(t *testing.T) {
	var samples []analysistest.Sample
	for _, pool := range []string{"cold", "tiered"} {
		for size, files := range map[string]string{"32KiB": "300", "4MiB": "30"} {
			samples = append(samples, analysistest.Sample{Variant: pool + size, Rung: 1, OPM: 600, Mean: 0.1, Change: func(t *result.Trial) {
				t.Variant.Factors = map[string]string{"storage": pool, "workload.parameters.file_size": size, "workload.parameters.files": files}
			}})
		}
	}
	a, err := Analyse(analysistest.MadeUp(nil, samples...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Factors) != 2 || a.Factors[1].Name != "file size" {
		t.Errorf("factors are %+v", a.Factors)
	}
	of := map[string]int{}
	for _, p := range a.Pairs {
		of[p.Factor]++
	}
	if len(of) != 2 || of["storage"] != 2 || of["workload.parameters.file_size"] != 2 || a.Pairs[0].Shared == "" {
		t.Errorf("pairs are %+v", a.Pairs)
	}
}

// A third level is compared with the first, too, and so is every other.
func TestPairsHoldEveryLevelAgainstTheFirst(t *testing.T) {
	for levels, want := range map[int]int{3: 2, 4: 3, 5: 4} {
		var samples []analysistest.Sample
		for i := range levels {
			name := string(rune('a' + i))
			samples = append(samples, analysistest.Sample{Variant: name, Rung: 1, OPM: 600 * float64(1+i), Mean: 0.1, Change: func(t *result.Trial) {
				t.Variant.Factors = map[string]string{"storage": name}
			}})
		}
		a, err := Analyse(analysistest.MadeUp(nil, samples...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Pairs) != want {
			t.Fatalf("%d levels: %+v", levels, a.Pairs)
		}
		for i, p := range a.Pairs {
			if p.From != "a" || p.Ratio.Value < float64(2+i)*0.999 || p.Ratio.Value > float64(2+i)*1.001 {
				t.Errorf("%d levels: %+v", levels, p)
			}
		}
	}
}

// Two levels of a factor are compared for each combination of the others, at the
// largest common rung.
func TestPairsHoldTwoLevelsAgainstEachOther(t *testing.T) {
	a, err := Analyse(varied(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	storage := slices.DeleteFunc(slices.Clone(a.Pairs), func(p Pair) bool { return p.Factor != "storage" })
	if len(storage) != 6 {
		t.Fatalf("pairs are %+v", a.Pairs)
	}
	for _, p := range storage {
		want, shared := 1.0, "128MB, read"
		switch p.From {
		case "replicated-write-4GB":
			want, shared = 2, "4GB, write"
		case "replicated-read-128MB":
		default:
			continue
		}
		if p.At != 4 || p.Shared != shared || p.Ratio.Low > want || p.Ratio.High < want || p.Ratio.High-p.Ratio.Low > 0.1 {
			t.Errorf("%+v, want %v", p, want)
		}
	}
}
