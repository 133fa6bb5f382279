package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// relay serves the API on a socket of the machine's own network, which the node was
// started with: so clients need not enter the node's.
func relay(ctx context.Context) error {
	file := os.NewFile(listenerFile, "listener")
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		return fmt.Errorf("relay the API: %w", err)
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() }) // which ends the loop
	go func() {
		for {
			client, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // such as too many open files
				time.Sleep(10 * time.Millisecond)
				continue
			}
			go connect(ctx, client)
		}
	}()
	return nil
}

// connect joins a client to the API server. While there is none, the client's
// connection is closed.
func connect(ctx context.Context, client net.Conn) {
	defer client.Close()
	server, err := new(net.Dialer).DialContext(ctx, "tcp", apiAddress)
	if err != nil {
		return
	}
	defer server.Close()
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		go func() {
			_, _ = io.Copy(way[0], way[1]) // a broken connection ends like a closed one
			_ = way[0].(*net.TCPConn).CloseWrite()
			ended <- struct{}{}
		}()
	}
	<-ended
	<-ended
}
