package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
)

func main() {
	f, _ := os.Create("/tmp/plim/scale5.prof")
	pprof.StartCPUProfile(f)
	at := time.Now()
	step := func(what string) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(what, time.Since(at).Round(time.Millisecond), m.HeapAlloc>>20, "MiB heap", m.HeapSys>>20, "MiB sys")
		at = time.Now()
	}
	run, err := result.OpenLean(os.Args[1])
	step("open")
	a, err := analysis.Analyse(run, analysis.Options{})
	fmt.Println(err)
	step("analyse")
	fmt.Println(report.Terminal(io.Discard, a, 100, false))
	step("terminal")
	fmt.Println(report.HTML(io.Discard, a, func(id string) ([]result.Series, error) { return run.Series(id) }, report.Options{}))
	step("html")
	pprof.StopCPUProfile()
	f.Close()
	m, _ := os.Create("/tmp/plim/scale5.mem")
	pprof.Lookup("allocs").WriteTo(m, 0)
	m.Close()
}
