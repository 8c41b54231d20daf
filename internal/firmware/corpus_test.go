package firmware_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/nvme"
)

// identify reads an Identify Controller page.
func identify(t *testing.T, name string) *nvme.IdentifyController {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	id := new(nvme.IdentifyController)
	if err := id.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return id
}

// imageOf is an image of so many bytes.
func imageOf(t *testing.T, size int) *firmware.Image {
	t.Helper()
	i, err := firmware.NewImage("image.bin", bytes.Repeat([]byte("QD1!"), (size+3)/4)[:size])
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// TestCase58FirmwareDownloadChunks holds the length of every chunk, also of a
// short last one, and which sizes are refused.
func TestCase58FirmwareDownloadChunks(t *testing.T) {
	b, err := os.ReadFile("testdata/chunks.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Size, Chunk, Commands int
		LastLen               int `json:"last_len"`
		Error                 string
	}
	if err := json.Unmarshal(b, &rows); err != nil || len(rows) < 5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		chunks, err := firmware.Chunks(r.Size, 4096)
		if r.Error != "" {
			word := strings.TrimSuffix(r.Error, " image")
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%d bytes: %v, want %q", r.Size, err, r.Error)
			}
			continue
		}
		if err != nil || len(chunks) != r.Commands || chunks[len(chunks)-1].Bytes != r.LastLen || chunks[0].Bytes != r.Chunk {
			t.Errorf("%d bytes: %d chunks, the last of %d, %v; want %+v", r.Size, len(chunks), chunks[len(chunks)-1].Bytes, err, r)
		}
		at := 0
		for _, c := range chunks {
			if c.Offset != at {
				t.Fatalf("%d bytes: a chunk at %d, want %d", r.Size, c.Offset, at)
			}
			at += c.Bytes
		}
		if at != r.Size {
			t.Errorf("%d bytes: the chunks have %d", r.Size, at)
		}
	}
	for name, want := range map[string]int{"idctrl-fwug1.bin": 4096, "idctrl-fwug4.bin": 16384, "idctrl-fwugff.bin": 4096} {
		if got := firmware.ChunkBytes(identify(t, name)); got != want {
			t.Errorf("%s: chunks of %d bytes, want %d", name, got, want)
		}
	}
	// The length is 0's based, the offset in dwords.
	p, err := firmware.NewPlan(firmware.Facts{Controller: identify(t, "idctrl-fwug1.bin"), Slots: slots(1, "OLD")}, firmware.Request{Image: imageOf(t, 4112)})
	if err != nil {
		t.Fatal(err)
	}
	var got []nvme.Command
	for _, c := range p.Operation().Commands {
		if c.Opcode == nvme.AdminFirmwareImageDownload && (len(got) == 0 || got[len(got)-1].CDW11 != c.CDW11) {
			got = append(got, c)
		}
	}
	if len(got) != 2 || got[0].CDW10 != 1023 || got[0].CDW11 != 0 || got[1].CDW10 != 3 || got[1].CDW11 != 1024 {
		t.Errorf("commands %+v", got)
	}
	if a := firmware.Explain(0x2114); a.Accepted || !strings.Contains(a.Text, "transferred before") || a.Do == "" {
		t.Errorf("114h: %+v", a)
	}
}

// TestCase59FirmwareCommitRefused holds that a read-only slot is refused before
// anything is sent, and what the drive's refusals mean.
func TestCase59FirmwareCommitRefused(t *testing.T) {
	id := identify(t, "idctrl-slot1-ro.bin")
	f := firmware.Facts{Controller: id, Slots: slots(1, "OLD")}
	var request *firmware.RequestError
	_, err := firmware.NewPlan(f, firmware.Request{Image: imageOf(t, 4096), Slot: 1})
	if !errors.As(err, &request) || !strings.Contains(request.Text, "read-only") || request.Hint == "" {
		t.Errorf("slot 1: %v", err)
	}
	p, err := firmware.NewPlan(f, firmware.Request{Image: imageOf(t, 4096)})
	if err != nil || p.Slot == 1 {
		t.Errorf("slot %+v, %v, want one that can be written", p, err)
	}
	for status, want := range map[nvme.Status]string{0x2106: "read-only", 0x2107: "does not take the image", 0x2113: "does not activate", 0x400C: "refused"} {
		if a := firmware.Explain(status); a.Accepted || !strings.Contains(a.Text, want) || a.Do == "" {
			t.Errorf("%#x: %+v, want %q", uint16(status), a, want)
		}
	}
}
