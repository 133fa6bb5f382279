package medium

import "time"

// pool is a storage pool: RAID groups that give their space out in slices, in turns, so
// that every volume is spread over all drives. A request belongs to the group of its slice;
// one that crosses slices is done when all parts are.
type pool struct {
	groups []Model
	slice  int64
	next   uint64
	hosts  map[uint64]uint64 // host's request, by the group's request
	left   map[uint64]int    // parts that a host's request still waits for
	stats  Stats             // of hosts' requests
}

func newPool(r RAID, member Spec, size int64) *pool {
	p := &pool{slice: r.Slice, hosts: map[uint64]uint64{}, left: map[uint64]int{}}
	group := r
	group.Drives, group.Groups, group.Slice, group.Degraded = r.Drives/r.Groups, 0, 0, 0
	group.Cache.Bytes = r.Cache.Bytes / int64(r.Groups)
	slices := (size + r.Slice - 1) / r.Slice
	each := (slices + int64(r.Groups) - 1) / int64(r.Groups) * r.Slice
	for i := range r.Groups {
		own := group
		own.Degraded = (r.Degraded + r.Groups - 1 - i) / r.Groups // failures are spread
		p.groups = append(p.groups, newArray(own, member, each))
	}
	return p
}

// place is the group of a byte, and the place in it.
func (p *pool) place(offset int64) (group int, at int64) {
	slice, n := offset/p.slice, int64(len(p.groups))
	return int(slice % n), slice/n*p.slice + offset%p.slice
}

func (p *pool) Submit(now time.Duration, id uint64, r Request) {
	p.stats.count(r)
	if r.Op == Flush {
		for i := range p.groups {
			p.hand(now, i, id, r)
		}
		return
	}
	for from := r.Offset; from < r.end() || from == r.Offset; {
		end := min(r.end(), (from/p.slice+1)*p.slice)
		group, at := p.place(from)
		p.hand(now, group, id, Request{Op: r.Op, Offset: at, Length: end - from})
		if from = end; end == r.Offset { // of no length
			break
		}
	}
}

func (p *pool) hand(now time.Duration, group int, host uint64, r Request) {
	p.next++
	p.hosts[p.next] = host
	p.left[host]++
	p.groups[group].Submit(now, p.next, r)
}

func (p *pool) Next() (at time.Duration, ok bool) {
	for _, g := range p.groups {
		t, some := g.Next()
		at, ok = earlier(at, ok, t, some)
	}
	return at, ok
}

func (p *pool) Advance(now time.Duration) (done []Completion) {
	var out schedule // brings the answers of all groups in order
	for _, g := range p.groups {
		for _, d := range g.Advance(now) {
			out.put(d.At, d.ID)
		}
	}
	for _, d := range out.due(now) {
		host := p.hosts[d.ID]
		delete(p.hosts, d.ID)
		if p.left[host]--; p.left[host] == 0 {
			delete(p.left, host)
			done = append(done, Completion{ID: host, At: d.At})
		}
	}
	return done
}

// Stats counts the hosts' requests, and the work of all groups for them.
func (p *pool) Stats() Stats {
	s := p.stats
	for _, g := range p.groups {
		m := g.Stats()
		s.CacheHits += m.CacheHits
		s.Stalls += m.Stalls
		s.addWork(m)
	}
	return s
}
