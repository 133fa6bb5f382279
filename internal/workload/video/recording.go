package video

import (
	"strconv"

	"plimsoll/internal/workload/fileio"
)

// top is the directory of the recordings; below it each stream has one by its number, and
// in it segments by theirs.
const top = "streams"

// place is where a frame lies: the number of its segment, and the offset there.
func (p *Parameters) place(frame int64) (segment string, offset int64) {
	n := p.segmentFrames()
	return strconv.FormatInt(frame/n, 10), frame % n * p.frame()
}

// recording is one stream's frames as they must be on a volume.
type recording struct {
	p      *Parameters
	volume uint64 // identity
	user   int
}

func (r recording) content() fileio.Content {
	return fileio.Content{Volume: r.volume, File: uint64(r.user) + 1, Generation: 1}
}

// fill makes a buffer of random bytes a frame of the stream: each block names its stream
// and its place in it. The place follows from the number of the frame, not of the file, so
// one frame cannot pass for another.
func (r recording) fill(buffer []byte, frame int64) {
	for at := int64(0); at < int64(len(buffer)); at += block {
		r.content().Fill(buffer[at:at+block], frame*r.p.frame()+at)
	}
}

// check compares whole blocks that were read with a frame, from an offset on.
func (r recording) check(buffer []byte, frame, from int64) error {
	for at := int64(0); at < int64(len(buffer)); at += block {
		if err := r.content().Check(buffer[at:at+block], frame*r.p.frame()+from+at); err != nil {
			return err
		}
	}
	return nil
}
