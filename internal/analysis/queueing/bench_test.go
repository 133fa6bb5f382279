package queueing

import (
	"fmt"
	"testing"
)

func BenchmarkSolve(b *testing.B) {
	net := Network{Think: 0.3, Stations: []Station{{"cpu", 0.004, 8}, {"disk", 0.0006, 1}, {"net", 0.0001, 1}}}
	for _, users := range []int{1000, 5000, 20000} {
		b.Run(fmt.Sprint(users), func(b *testing.B) {
			for b.Loop() {
				if _, err := net.Solve(users); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
