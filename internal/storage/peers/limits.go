package peers

import (
	"errors"
	"fmt"

	"plimsoll/internal/host/simnet"
)

// RemoveLimits takes simulated times and limits of processors off.
func (m *Machines) RemoveLimits() error {
	m.limits.Lock()
	defer m.limits.Unlock()
	if m.unlimited {
		return nil
	}
	var errs []error
	for _, p := range m.peers {
		errs = append(errs, p.Group.SetCPU(0))
		for _, d := range p.Disks {
			if remove := d.Class.Capabilities().RemoveLimits; remove != nil { // a simulated medium
				errs = append(errs, remove())
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove the limits of the peers: %w", err)
	}
	m.unlimited = true
	return nil
}

// SetLimits sets the limits of processors; the disks get their times from their own
// Settle.
func (m *Machines) SetLimits() error {
	m.limits.Lock()
	defer m.limits.Unlock()
	m.unlimited = false
	var errs []error
	for _, p := range m.peers {
		errs = append(errs, p.Group.SetCPU(float64(m.config.CPU)))
	}
	return errors.Join(errs...)
}

func (m *Machines) setLinks() error {
	rate, err := m.linkRate()
	if err != nil || rate == 0 {
		return err
	}
	for _, h := range m.network.Hosts() {
		if err := m.network.SetRate(h, rate); err != nil {
			return err
		}
	}
	return nil
}

// linkRate is the rate of every host's link, in bits per second; 0 for no limit.
func (m *Machines) linkRate() (uint64, error) {
	if m.config.Link == "" {
		return 0, nil
	}
	return simnet.ParseRate(m.config.Link)
}

// CutLink takes a peer off the network.
func (m *Machines) CutLink(n int) error { return m.network.Cut(m.Peer(n).Host) }

// DegradeLink limits the link of a peer to a rate such as "100mbit".
func (m *Machines) DegradeLink(n int, text string) error {
	rate, err := simnet.ParseRate(text)
	if err != nil {
		return err
	}
	return m.network.SetRate(m.Peer(n).Host, rate)
}

// RestoreLink gives a peer its link back, with the rate that all have.
func (m *Machines) RestoreLink(n int) error {
	rate, err := m.linkRate()
	host := m.Peer(n).Host
	return errors.Join(err, m.network.Repair(host), m.network.SetRate(host, rate))
}
