package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/app/builtin/sink"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/untrusted"
)

// newSink is the far end of the streams of the network workload. Studies start it by
// themselves; by hand it is started on another machine.
func newSink(s *command.State) *cobra.Command {
	var listen, tokenFile, config string
	cmd := &cobra.Command{
		Use:   "sink --listen HOST:PORT [--token-file FILE]",
		Short: "Take TCP streams of the network workload on another machine",
		Long: `Takes and sends TCP streams of the network workload until it is stopped, and
tells each stream what came of it. A study names it in engine.existing.servers.

Without a token it listens on this machine alone.`,
		Example: `  plimsoll sink --listen 10.0.0.2:5201 --token-file token`,
		Args:    command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			c, err := sinkConfig(listen, tokenFile, config)
			if err != nil {
				return err
			}
			return sink.Main(s.Context, c, s.Stdout)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address and port to listen on")
	cmd.Flags().StringVar(&tokenFile, "token-file", "", "file of mode 0600 with the token that streams must have")
	cmd.Flags().StringVar(&config, "config", "", "file with the configuration (JSON)")
	_ = cmd.Flags().MarkHidden("config") // it exists
	return cmd
}

func sinkConfig(listen, tokenFile, config string) (c sink.Config, err error) {
	if config != "" {
		text, err := untrusted.ReadNamed(config, untrusted.MostInput)
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		return c, err
	}
	if listen == "" {
		return c, command.Usage(errors.New("sink: give --listen HOST:PORT, the address that the streams come to"))
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return c, command.Usage(fmt.Errorf("sink: --listen %q is not HOST:PORT", listen))
	}
	c.Listen = listen
	if tokenFile != "" {
		if c.Token, err = readToken(tokenFile); err != nil {
			return c, err
		}
	}
	if c.Token == "" && !endpoint.OnLoopback(host) {
		return c, command.Usage(errors.New("sink: --token-file is required, because others can reach " + listen))
	}
	return c, nil
}

// readToken reads a secret that only its owner can read.
func readToken(path string) (string, error) {
	text, err := untrusted.Secret(path)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimRight(text, "\r\n")
	if token == "" {
		return "", fmt.Errorf("read the token: %s is empty", path)
	}
	return token, nil
}
