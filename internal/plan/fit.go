package plan

import (
	"fmt"

	"plimsoll/internal/study"
)

// fit compares the needs of the largest rung with the machine. One problem for
// each kind of shortage and storage is enough to act on.
func (p *Plan) fit(m Machine) {
	if len(p.Variants) == 0 || len(p.Trials) == 0 {
		p.problem("the study has no trials", "give it a ladder, and storages that are not all excluded")
		return
	}
	p.fitMemory(m)
	p.fitDisk(m)
	p.fitClasses()
}

// fitMemory reports the variant that needs the most, and the rung that would
// still fit.
func (p *Plan) fitMemory(m Machine) {
	if m.MemoryBytes <= 0 {
		return
	}
	rung := p.largestRung()
	var worst Trial
	for _, v := range p.Variants {
		if t := p.trial(v.Name, rung); t.MemoryBytes > worst.MemoryBytes {
			worst = t
		}
	}
	if worst.MemoryBytes <= m.MemoryBytes {
		return
	}
	p.problem(fmt.Sprintf("the %d rung of %s needs %s of memory, this machine has %s", rung, worst.Variant, gib(worst.MemoryBytes), gib(m.MemoryBytes)),
		p.shorten("lower engine.memory", func(rung int) bool { return p.trial(worst.Variant, rung).MemoryBytes <= m.MemoryBytes }))
}

func (p *Plan) fitDisk(m Machine) {
	if m.FreeBytes == nil {
		return
	}
	golden, rung := p.golden(), p.largestRung()
	told := map[string]bool{}
	for _, v := range p.Variants {
		free := m.FreeBytes(v)
		need := golden + p.trial(v.Name, rung).DiskBytes
		if free < 0 || need <= free || p.Facts[v.Name].InMemory || told[v.StorageName] {
			continue
		}
		told[v.StorageName] = true
		p.problem(fmt.Sprintf("the %d rung of %s needs %s of disk (data sets %s included), %s is free there", rung, v.Name, gib(need), gib(golden), gib(free)),
			p.shorten("free some space, use a smaller data set", func(rung int) bool { return golden+p.trial(v.Name, rung).DiskBytes <= free }))
	}
}

// fitClasses looks at storages of a size of their own, such as simulated
// disks.
func (p *Plan) fitClasses() {
	rung := p.largestRung()
	told := map[string]bool{}
	for _, v := range p.Variants {
		f := p.Facts[v.Name]
		fits := func(rung int) bool {
			e := estimator{study: p.Study, variant: v, facts: f, rung: rung}
			return e.volumes()+f.Dataset.Bytes+f.Overhead <= f.Capacity
		}
		if f.Capacity <= 0 || fits(rung) || told[v.StorageName] {
			continue
		}
		told[v.StorageName] = true
		e := estimator{study: p.Study, variant: v, facts: f, rung: rung}
		p.problem(fmt.Sprintf("the %d rung of %s needs %s on storage %s, which has %s", rung, v.Name, gib(e.volumes()+f.Dataset.Bytes+f.Overhead), v.StorageName, gib(f.Capacity)),
			p.shorten(fmt.Sprintf("raise storage.%s.size", v.StorageName), fits))
	}
}

// shorten advises on the ladder, with the largest count that fits.
func (p *Plan) shorten(first string, fits func(rung int) bool) string {
	low, high := 0, p.largestRung()
	for low < high {
		middle := (low + high + 1) / 2
		if fits(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	if low == 0 {
		return first + ", or take a larger machine: not even one instance fits"
	}
	key := "the ladder"
	if p.Study.Ladder.Auto {
		key = "ladder.auto.to"
	}
	return fmt.Sprintf("%s, or lower %s: %d instances fit", first, key, low)
}

// gib prints bytes with three digits and a binary unit.
func gib(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.3g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
	default:
		return study.Bytes(n).String()
	}
}
