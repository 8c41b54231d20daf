package nvmetcp

import (
	"bytes"
	"testing"

	"qd1.example/qd1/nvme"
)

// TestVendorPages checks that a host gets the vendor's pages and features of a
// drive as they are in the process.
func TestVendorPages(t *testing.T) {
	d := openLiar(t, "optane-905p-used", ``)
	local, remote := inside(t, d), outside(t, d)
	for lid := 0xC0; lid <= 0xFF; lid++ {
		ask := func(do way) ([]byte, nvme.Status) {
			cmd := nvme.GetLogPage{LID: nvme.LID(lid), NSID: nvme.BroadcastNSID, KeepEvent: true}.Command(make([]byte, 4868))
			status, _, _ := do(cmd)
			return cmd.Data, status
		}
		want, wantStatus := ask(local)
		if got, status := ask(remote); status != wantStatus || !bytes.Equal(got, want) {
			t.Errorf("page %02Xh: status %v, want %v; same bytes: %t", lid, status, wantStatus, bytes.Equal(got, want))
		}
	}
	thresholds := func(do way) []byte {
		cmd := nvme.FeatureRequest{FID: 0xF7}.Command(make([]byte, 32))
		do(cmd)
		return cmd.Data
	}
	if got, want := thresholds(remote), thresholds(local); !bytes.Equal(got, want) || want[4] == 0 {
		t.Errorf("thresholds % x, want % x", got, want)
	}
}
