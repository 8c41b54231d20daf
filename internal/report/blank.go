package report

import (
	"context"

	"qd1.example/qd1/nvme"
)

// noData is the problem of a page that came with success and has nothing in
// it, nil for any other page.
func noData(page []byte) *Problem {
	zero, ones := nvme.IsBlankPage(page)
	switch {
	case zero:
		return problemZeroes()
	case ones:
		return problemOnes()
	}
	return nil
}

func problemZeroes() *Problem {
	return &Problem{Kind: KindNoData, Text: "the drive answered with a page of zeroes: no data",
		Hint: "read it again; a USB bridge, a driver or a virtual drive may have lost the data"}
}

func problemOnes() *Problem {
	return &Problem{Kind: KindNoData, Text: "the drive answered with a page of all ones: it is gone or dead",
		Hint: "power the computer off and on, check the slot and the cable"}
}

// ReadSMART reads the SMART log. A page without data is an error, but is
// returned too, because it says something about the drive.
func ReadSMART(ctx context.Context, c *nvme.Controller) (*nvme.SMARTLog, error) {
	page, err := c.LogPage(ctx, nvme.GetLogPage{LID: nvme.LIDSMART, NSID: nvme.BroadcastNSID, Bytes: 512, KeepEvent: true})
	if err != nil {
		return nil, err
	}
	l := new(nvme.SMARTLog)
	if err := l.UnmarshalBinary(page); err != nil {
		return nil, err
	}
	if p := noData(page); p != nil {
		return l, p
	}
	return l, nil
}

// ReadIdentify reads Identify Controller. A page without data is an error.
func ReadIdentify(ctx context.Context, c *nvme.Controller) (*nvme.IdentifyController, error) {
	id, err := c.Identify(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case *id == nvme.IdentifyController{}:
		return nil, problemZeroes()
	case id.VID == 0xFFFF && id.NN == 0xFFFFFFFF:
		return nil, problemOnes()
	}
	return id, nil
}
