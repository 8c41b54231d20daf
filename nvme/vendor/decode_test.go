package vendor

import (
	"testing"

	"qd1.example/qd1/nvme"
)

func TestLogDecode(t *testing.T) {
	logs := Logs(&nvme.IdentifyController{VID: 0x8086}, 0x8086, "INTEL SSDPE21D960GA")
	if len(logs) == 0 {
		t.Fatal("no logs")
	}
	for _, l := range logs {
		if _, err := l.Decode(make([]byte, l.Bytes)); err == nil {
			t.Errorf("%s: a blank page was decoded", l.Name)
		}
	}
	i := 3
	page := append([]byte("Intel Optane SSD 905P"), make([]byte, logs[i].Bytes)...)[:logs[i].Bytes]
	if v, err := logs[i].Decode(page); err != nil || len(v.Rows()) == 0 {
		t.Errorf("%s: %v, %v", logs[i].Name, v, err)
	}
}
