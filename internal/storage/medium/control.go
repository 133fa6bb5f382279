package medium

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Commands to a medium's process.
const (
	Pause   = "pause"  // no simulated times
	Resume  = "resume" // simulated times, from a medium that was just switched on
	Report  = "status"
	cut     = "cut"     // the power: see Client.Cut
	PowerOn = "restore" // after a cut

	LoseTier    = "lose tier"
	RestoreTier = "restore tier"
)

// command is one line to the process.
type command struct {
	Do   string `json:"do"`
	Seed uint64 `json:"seed,omitempty"` // of the losses of a cut
}

// Status is one line from the process: the first announces the block file, each further one
// answers a command.
type Status struct {
	Paused   bool     `json:"paused"`
	TierLost bool     `json:"tier_lost"`
	Failed   bool     `json:"failed"`  // with its tier, which was dirty
	Waiting  int      `json:"waiting"` // requests under way
	Stats    Stats    `json:"stats"`
	Lateness Lateness `json:"lateness"`
	Loss     Loss     `json:"loss"` // of the last power cut
	Error    string   `json:"error,omitempty"`
}

// answer serves commands until the other side is gone.
func answer(p *player, stdin io.Reader, stdout io.Writer) error {
	out := json.NewEncoder(stdout)
	if err := out.Encode(p.status()); err != nil {
		return fmt.Errorf("report that the medium is ready: %w", err)
	}
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		problem := obey(p, lines.Bytes())
		status := p.status()
		status.Error = problem
		if err := out.Encode(status); err != nil {
			return fmt.Errorf("answer a command: %w", err)
		}
	}
	return lines.Err()
}

func obey(p *player, line []byte) (problem string) {
	var c command
	if err := json.Unmarshal(line, &c); err != nil {
		return "a command is a JSON object: " + err.Error()
	}
	var err error
	switch c.Do {
	case Pause:
		p.pause()
	case Resume:
		p.resume()
	case cut:
		err = p.cut(c.Seed)
	case PowerOn:
		p.powerOn()
	case LoseTier:
		err = p.loseTier()
	case RestoreTier:
		err = p.restoreTier()
	case Report:
	default:
		err = fmt.Errorf("unknown command %q", c.Do)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// Client talks to a medium's process over its stdin and stdout. It is safe for
// concurrent use.
type Client struct {
	mu  sync.Mutex
	in  io.Writer
	out *json.Decoder
}

// NewClient takes the process's stdin and stdout.
func NewClient(stdin io.Writer, stdout io.Reader) *Client {
	return &Client{in: stdin, out: json.NewDecoder(stdout)}
}

// Ready waits until the block file is there.
func (c *Client) Ready() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var s Status
	if err := c.out.Decode(&s); err != nil {
		return fmt.Errorf("wait for the medium: %w", err)
	}
	return nil
}

// Do sends a command and waits for the answer.
func (c *Client) Do(what string) (Status, error) { return c.send(command{Do: what}) }

// Cut cuts the medium's power: requests fail from here on, and some of the writes that no
// completed flush covers, drawn from the seed, are undone. Without Config.PowerCuts nothing
// is lost.
func (c *Client) Cut(seed uint64) (Loss, error) {
	s, err := c.send(command{Do: cut, Seed: seed})
	return s.Loss, err
}

func (c *Client) send(what command) (Status, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var s Status
	if err := json.NewEncoder(c.in).Encode(what); err != nil {
		return s, fmt.Errorf("tell the medium to %s: %w", what.Do, err)
	}
	if err := c.out.Decode(&s); err != nil {
		return s, fmt.Errorf("tell the medium to %s: %w", what.Do, err)
	}
	if s.Error != "" {
		return s, fmt.Errorf("tell the medium to %s: %s", what.Do, s.Error)
	}
	return s, nil
}
