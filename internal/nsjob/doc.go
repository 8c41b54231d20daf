// Package nsjob plans what is done to the namespaces of a drive: to create,
// attach, detach and delete them, and to deallocate blocks of them (trim). It
// knows what the drive allows and what an answer means. It sends nothing by
// itself but reads: commands go through a [Submitter], which is a permit of the
// guard.
package nsjob

// RequestError is a request that cannot be one, whatever the drive says.
type RequestError struct {
	// Text says what is wrong, Hint the next step, "" for none.
	Text, Hint string
}

// Error returns the text.
func (e *RequestError) Error() string { return e.Text }
