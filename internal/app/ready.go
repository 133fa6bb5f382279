package app

import "errors"

// ErrHopeless is wrapped by an error of Server.Ready when waiting longer
// cannot help, such as a volume that knows no such user; the platform then
// gives up at once.
var ErrHopeless = errors.New("waiting longer does not help")
