package social

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/client/httpwire"
	"plimsoll/internal/client/webpage"
	"plimsoll/internal/describe/endpoint"
)

// senders is how many files are on their way to a volume at once.
const senders = 4

// sendFiles has the pages keep the files of loaded rows on their volume.
func (p *Parameters) sendFiles(ctx context.Context, e endpoint.Endpoint, progress func(float64)) error {
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for sender := range senders {
		g.Go(func() error {
			s, err := openSite(ctx, e)
			if err != nil {
				return err
			}
			defer s.conn.Close()
			for n := next.Add(1); n <= p.files(); n = next.Add(1) {
				if err := s.send(ctx, n, p.loadedFile(n)); err != nil {
					return fmt.Errorf("send file %d: %w", n, err)
				}
				if sender == 0 {
					progress(float64(n) / float64(p.files()+1))
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	progress(1)
	return nil
}

// siteFiles reaches the files of a site.
type siteFiles struct {
	conn    *httpwire.Conn
	request webpage.Request
}

func openSite(ctx context.Context, e endpoint.Endpoint) (*siteFiles, error) {
	conn, err := httpwire.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	return &siteFiles{conn: conn}, nil
}

func (s *siteFiles) send(ctx context.Context, number int64, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.request.Begin("/"+directory, "restore").Number("fileid", number).Number("bytes", int64(len(content)))
	answer, err := s.conn.Post(s.request.Target, content)
	if err != nil {
		return err
	}
	_, err = webpage.Read(s.request.Page, answer)
	return err
}

// checksum returns the checksum of a file as the site delivers it, or 0 if the site has no
// file with this number.
func (s *siteFiles) checksum(ctx context.Context, number int64) (uint32, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.request.Begin("/"+directory, "file").Number("fileid", number)
	answer, err := s.conn.Get(s.request.Target)
	switch {
	case err != nil:
		return 0, err
	case answer.Status == 404:
		return 0, nil
	case answer.Status != 200:
		return 0, fmt.Errorf("file %d: %w", number, &httpwire.StatusError{Status: answer.Status})
	}
	return checksum(answer.Body), nil
}
