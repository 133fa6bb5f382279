package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// listen takes commands at the socket until the context ends.
func (n *node) listen(ctx context.Context, stop func()) error {
	listener, err := net.Listen("unix", n.Socket())
	if err != nil {
		return fmt.Errorf("listen for commands: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /down", func(http.ResponseWriter, *http.Request) { stop() })
	mux.HandleFunc("POST /import", answer(func(r *http.Request) error { return n.importImage(r.Context(), r.FormValue("file")) }))
	mux.HandleFunc("POST /{act}/{program}", answer(func(r *http.Request) error { return n.act(r.Context(), r.PathValue("act"), r.PathValue("program")) }))
	server := &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(listener) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}

func answer(do func(*http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := do(r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}

// act starts, stops or kills a program.
func (n *node) act(ctx context.Context, act, name string) error {
	p, known := n.programs[name]
	switch {
	case !known:
		return fmt.Errorf("the node has no program %q", name)
	case act == "start" && name == "kube-apiserver":
		return n.startAPIServer(ctx)
	case act == "start":
		return p.start()
	case act == "stop":
		return p.stop(syscall.SIGTERM)
	case act == "kill":
		return p.stop(syscall.SIGKILL)
	}
	return fmt.Errorf("a program cannot be told to %q", act)
}

// Client gives commands to the node at a socket.
type Client struct{ http http.Client }

// NewClient does not connect yet.
func NewClient(socket string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &Client{http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}
}

// Do sends a command: "start/kubelet", "down", "import?file=/x/y.tar".
func (c *Client) Do(ctx context.Context, command string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://node/"+command, nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("tell the node to %s: %w", command, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(strings.TrimSpace(string(text)))
	}
	if err != nil {
		return fmt.Errorf("tell the node to %s: %w", command, err)
	}
	return nil
}
