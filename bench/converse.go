package bench

import (
	"context"
	"io"
)

// Converse is the other side.
func Converse(ctx context.Context, in io.Writer, out io.Reader, s Spec, observe Observer) (*Result, error) {
	return nil, nil
}
