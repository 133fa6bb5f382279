package provisioner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"plimsoll/internal/storage"
)

// Shared makes volumes on a storage class of Plimsoll that is up. Its simulated
// times run but for the moment in which a volume is made or deleted.
type Shared struct {
	class storage.Class

	mu   sync.Mutex
	made map[string]storage.Volume
}

// NewShared lets the simulated times run.
func NewShared(ctx context.Context, class storage.Class) (*Shared, error) {
	_, err := class.Settle(ctx)
	return &Shared{class: class, made: map[string]storage.Volume{}}, err
}

// Make implements Volumes.
func (s *Shared) Make(ctx context.Context, wanted Volume) (string, error) {
	if wanted.Block {
		return "", errors.New("the class has no volumes of mode Block")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v, there := s.made[wanted.Name]
	if !there {
		var err error
		if v, err = s.class.Provision(ctx, storage.Claim{Name: wanted.Name}); err != nil {
			return "", err
		}
		s.made[wanted.Name] = v
	}
	if _, err := s.class.Settle(ctx); err != nil {
		return "", err
	}
	if err := os.Chmod(v.Path, 0o770); err != nil {
		return "", fmt.Errorf("make the volume: %w", err)
	}
	return v.Path, nil
}

// Delete implements Volumes.
func (s *Shared) Delete(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, there := s.made[name]
	if !there {
		return nil
	}
	if err := s.class.Delete(ctx, v); err != nil {
		return err
	}
	delete(s.made, name)
	_, err := s.class.Settle(ctx)
	return err
}
