package vendor

// Decode decodes a page of the log as it came. Like [Read] it takes a page that is
// blank for one that is not of the layout.
func (l Log) Decode(page []byte) (Value, error) { return noBlank(l.layout)(page) }
