package vendor

import (
	"encoding/hex"
	"errors"
	"fmt"

	"qd1.example/qd1/nvme"
)

// ErrLayout is a page that came but is not of the layout it should have: of
// another vendor, another revision, or without content.
var ErrLayout = errors.New("not the expected page")

// GUID is the identifier at the end of a page, in wire order.
type GUID [16]byte

// The identifiers of pages.
const (
	guidOCPSMART    = "c5af1028eabff2a49c4f6f7cc914d5af"
	guidOCPErrors   = "44d93121fe3034aeab4dfd3dba83195a"
	guidOCPLatency  = "927ac08cd0846c9c7043e6d4585ed485"
	guidOCPMissing  = "2f729c0e99232cbb634832d0b798bbc7"
	guidWDCExtended = "65438878acd878a166421e0f92d76dc4"
)

// String returns the bytes in hexadecimal.
func (g GUID) String() string { return hex.EncodeToString(g[:]) }

func (g GUID) expect(name, want string) error {
	if g.String() != want {
		return fmt.Errorf("%w: %s: GUID %v", ErrLayout, name, g)
	}
	return nil
}

// guidEnd is where pages of the OCP specification end with their GUID; that of
// the unsupported requirements is longer.
const (
	guidEnd     = 512
	guidEndLong = 4096
)

// guidOf returns the GUID of a page that ends at end, "" if it is shorter.
func guidOf(b []byte, end int) string {
	if len(b) < end {
		return ""
	}
	return GUID(b[end-len(GUID{}) : end]).String()
}

// unmarshaler is a pointer to a page.
type unmarshaler interface {
	Value
	UnmarshalBinary(b []byte) error
}

// layout decodes a page.
type layout func(b []byte) (Value, error)

// as makes a layout that decodes into a new T.
func as[T any, P interface {
	*T
	unmarshaler
}](b []byte) (Value, error) {
	v := P(new(T))
	if err := v.UnmarshalBinary(b); err != nil {
		return nil, err
	}
	return v, nil
}

// byGUID are the logs whose pages end with a GUID of their own, so that they
// are told whoever made the drive.
var byGUID = map[string]Log{
	guidOCPSMART:    {Name: "OCP SMART / Health Information Extended", layout: as[OCPSMART]},
	guidOCPErrors:   {Name: "OCP Error Recovery", layout: as[OCPErrorRecovery]},
	guidOCPLatency:  {Name: "OCP Latency Monitor", layout: as[OCPLatencyMonitor]},
	guidWDCExtended: {Name: "WDC Extended SMART", layout: as[WDCExtendedSMART]},
}

// Identified returns the log that a page of 512 bytes is by the GUID at its end;
// false for a page without a known one.
func Identified(lid nvme.LID, page []byte) (Log, bool) {
	l, ok := byGUID[guidOf(page, guidEnd)]
	l.LID, l.Bytes, l.Why = lid, guidEnd, "the page ends with the GUID of this log"
	return l, ok
}

// orOCP makes a layout of one that another vendor's page may be in place of:
// with the GUID of a known log the page is that one.
func orOCP(other layout) layout {
	return func(b []byte) (Value, error) {
		if l, ok := byGUID[guidOf(b, guidEnd)]; ok {
			return l.layout(b)
		}
		if guidOf(b, guidEndLong) == guidOCPMissing {
			return nil, fmt.Errorf("%w: it is the OCP Unsupported Requirements page", ErrLayout)
		}
		return other(b)
	}
}

// noBlank makes a layout that refuses a page without content.
func noBlank(other layout) layout {
	return func(b []byte) (Value, error) {
		if zero, ones := nvme.IsBlankPage(b); zero || ones {
			return nil, fmt.Errorf("%w: every byte is %02Xh", ErrLayout, b[0])
		}
		return other(b)
	}
}
