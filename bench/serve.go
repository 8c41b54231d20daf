package bench

import (
	"context"
	"io"
)

// Spec is one run: what and on what. It is the first line of the protocol.
type Spec struct {
	Target Target `json:"target"`
	Job    Job    `json:"job"`
}

// Runner runs a spec somewhere, as [Run] does here.
type Runner func(ctx context.Context, s Spec, observe Observer) (*Result, error)

// Serve is the worker's side of the protocol.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open func(Spec) (Engine, error)) error {
	return nil
}
