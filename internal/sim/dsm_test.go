package sim

import (
	"encoding/binary"
	"testing"

	"qd1.example/qd1/nvme"
)

// TestTrimLimits holds a drive to the limits that it reports.
func TestTrimLimits(t *testing.T) {
	d := modern(t, nil)
	page := identifyCmd(nvme.CNSCommandSetController, 0)
	accept(t, d, page)
	ranges, blocks, all := int(page.Data[3]), uint64(binary.LittleEndian.Uint32(page.Data[4:])), binary.LittleEndian.Uint64(page.Data[8:])
	if ranges != mostRanges || blocks != mostRangeBlocks || all != mostTrimBlocks {
		t.Fatalf("limits %d, %d, %d", ranges, blocks, all)
	}
	list := func(n int, blocks uint64) (list [][2]uint64) {
		for i := range uint64(n) {
			list = append(list, [2]uint64{i * blocks, blocks})
		}
		return list
	}
	accept(t, d, dsmCmd(attributeDeallocate, list(ranges, 8)...))
	accept(t, d, dsmCmd(attributeDeallocate, list(int(all/blocks), blocks)...))
	reject(t, d, dsmCmd(attributeDeallocate, list(ranges+1, 8)...), nvme.StatusCommandSizeLimitExceeded)
	reject(t, d, dsmCmd(attributeDeallocate, list(1, blocks+1)...), nvme.StatusCommandSizeLimitExceeded)
	reject(t, d, dsmCmd(attributeDeallocate, list(int(all/blocks)+1, blocks)...), nvme.StatusCommandSizeLimitExceeded)
}

// TestTrimWithoutLimits holds that a drive that reports none has none.
func TestTrimWithoutLimits(t *testing.T) {
	d, err := Open("optane-905p")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var list [][2]uint64
	for i := range uint64(256) {
		list = append(list, [2]uint64{i << 22, 1 << 22})
	}
	accept(t, d, dsmCmd(attributeDeallocate, list...))
}
