package blockio

import "testing"

func TestLedgerKeepsWritesApart(t *testing.T) {
	l := newLedger(100, 110)
	if g, certain := l.generation(105); g != loaded || !certain {
		t.Fatalf("a loaded block has generation %d, %v", g, certain)
	}
	if !l.beginRead(104, 2) || !l.beginRead(105, 1) {
		t.Fatal("two reads exclude each other")
	}
	if l.beginWrite(105, 1) || l.beginWrite(103, 2) {
		t.Error("a write began on a block that is being read")
	}
	l.endRead(104, 2)
	l.endRead(105, 1)
	if !l.beginWrite(105, 2) || l.beginWrite(106, 1) || l.beginRead(106, 1) || !l.beginRead(107, 1) {
		t.Error("a write does not have its blocks to itself")
	}
	if g := l.written(105); g != loaded+1 {
		t.Errorf("it is to write generation %d", g)
	}
	l.endWrite(105, 2, true)
	if g, certain := l.generation(106); g != loaded+1 || !certain {
		t.Errorf("after the write: %d, %v", g, certain)
	}
}

func TestLedgerDoubtsWhatFailed(t *testing.T) {
	l := newLedger(0, 1)
	l.beginWrite(0, 1)
	l.endWrite(0, 1, false)
	if g, certain := l.generation(0); certain {
		t.Errorf("generation %d is certain although its write failed", g)
	}
	l.beginWrite(0, 1)
	l.endWrite(0, 1, true)
	if g, certain := l.generation(0); g != loaded+2 || !certain {
		t.Errorf("after the next write: %d, %v; a failed one must not be taken for it", g, certain)
	}
}

func TestLedgerIsNeverOverrun(t *testing.T) {
	l := newLedger(0, 1)
	n := 0
	for l.beginRead(0, 1) {
		n++
	}
	for range n {
		l.endRead(0, 1)
	}
	if g, certain := l.generation(0); n != mostReads || g != loaded || !certain || !l.beginWrite(0, 1) {
		t.Errorf("after %d reads: generation %d, %v", n, g, certain)
	}
}
