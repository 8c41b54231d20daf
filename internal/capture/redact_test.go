package capture

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// dashed writes 16 bytes as the kernel writes a UUID.
func dashed(b []byte) string {
	h := hex.EncodeToString(b)
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func reversed(b []byte) []byte {
	b = bytes.Clone(b)
	slices.Reverse(b)
	return b
}

// identified returns a capture with every identity of the drive in every place
// and form that is known. The files of sysfs come first, as they do in a real
// one.
func identified(t testing.TB) string {
	t.Helper()
	log := make([]byte, 512)
	copy(log[10:], serial)
	copy(log[60:], nguid())
	copy(log[100:], reversed(eui64()))
	copy(log[140:], strings.ToUpper(dashed(uuid())))
	copy(log[200:], nqn)
	host := []byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10")
	text := func(path, text string) string { return lineOf(t, sysfsLine{Path: path, Text: &text}) }
	link := func(path, target string) string { return lineOf(t, sysfsLine{Path: path, Link: &target}) }
	return strings.Join([]string{
		`{"capture":"qd1/1","tool":"qd1","controller":"nvme0","note":{"by ` + serial + `":["` + serial + `",1.50,true,null]}}` + "\n",
		text("class/nvme/nvme0/subsysnqn", nqn+"\n"),
		text("class/nvme/nvme0/serial", serial+"  \n"),
		text("class/nvme/nvme0/model", "INTEL SSDPE21D960GA\n"),
		text("class/nvme/nvme0/hostnqn", "nqn.2014-08.org.nvmexpress:uuid:"+dashed(host)+"\n"),
		text("class/block/nvme0n1/wwid", "nvme.8086-"+hex.EncodeToString([]byte(serial))+"-494e54454c-00000001\n"),
		text("class/block/nvme0n2/wwid", "eui."+hex.EncodeToString(eui64())+"\n"),
		text("class/block/nvme0n1/uuid", dashed(uuid())+"\n"),
		text("class/block/nvme0n1/nguid", dashed(nguid())+"\n"),
		text("class/block/nvme0n1/eui", hexSpaced(string(eui64()))+"\n"),
		link("dev/by-id/"+serial, "../nvme-"+serial+"-0000:01:00.0"),
		lineOf(t, identify(nvme.CNSController, 0, controllerPage(serial, nqn))),
		lineOf(t, identify(nvme.CNSNamespace, 1, namespacePage())),
		lineOf(t, identify(nvme.CNSNamespaceDescriptors, 1, descriptorPage())),
		lineOf(t, exchange{Queue: "admin", Opcode: 2, CDW10: 0xCA, Data: log}),
		lineOf(t, exchange{Queue: "admin", Opcode: 0x0A, CDW10: 0x81, CDW11: 1, Data: host}),
		lineOf(t, exchange{Queue: "io", Opcode: 2, NSID: 1, Data: log}),
		lineOf(t, exchange{Queue: "admin", Opcode: 9, Error: "drive " + serial + ": gone"}),
	}, "")
}

func redact(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := Redact(strings.NewReader(text), &out); err != nil {
		t.Fatalf("Redact: %v", err)
	}
	return out.String()
}

// plain returns a capture with the data of each line as they are, not as
// base64.
func plain(t testing.TB, text string) string {
	t.Helper()
	return regexp.MustCompile(`"data":"([^"]*)"`).ReplaceAllStringFunc(text, func(s string) string {
		b, err := base64.StdEncoding.DecodeString(strings.Split(s, `"`)[3])
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	})
}

// forms returns an identity in every form that it may be found in.
func forms(id []byte) []string {
	var out []string
	for _, b := range [][]byte{id, reversed(id)} {
		h := hex.EncodeToString(b)
		out = append(out, string(b), h, strings.ToUpper(h), hexSpaced(string(b)), base64.StdEncoding.EncodeToString(b))
		if len(b) == 16 {
			out = append(out, dashed(b), strings.ToUpper(dashed(b)))
		}
	}
	return out
}

// originals are what a redacted capture must not have.
func originals() map[string][]byte {
	return map[string][]byte{
		"serial": []byte(serial), "nqn": []byte(nqn),
		"nguid": nguid(), "eui64": eui64(), "uuid": uuid(),
		"host": []byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"),
	}
}

func TestRedactLeavesNothing(t *testing.T) {
	text := identified(t)
	got := redact(t, text)
	for name, id := range originals() {
		if !strings.Contains(plain(t, text), string(id)) {
			t.Fatalf("the capture has no %s to begin with", name)
		}
		for _, form := range forms(id) {
			if strings.Contains(got, form) || strings.Contains(plain(t, got), form) {
				t.Errorf("%s is left as %q", name, form)
			}
		}
	}
}

// invented returns the new identity from where the old one was.
func invented(t testing.TB, text string) map[string][]byte {
	t.Helper()
	c := read(t, text)
	page := func(cmd *nvme.Command) []byte {
		cmd.Data = make([]byte, 4096)
		if _, err := c.Submit(t.Context(), cmd); err != nil {
			t.Fatal(err)
		}
		return cmd.Data
	}
	ctrl := page(&nvme.Command{Opcode: 6, CDW10: 1})
	ns := page(&nvme.Command{Opcode: 6, NSID: 1})
	list := page(&nvme.Command{Opcode: 6, NSID: 1, CDW10: 3})
	return map[string][]byte{
		"serial": ctrl[4 : 4+len(serial)], "nqn": ctrl[768 : 768+len(nqn)],
		"nguid": ns[104:120], "eui64": ns[120:128], "uuid": list[36:52],
		"host": page(&nvme.Command{Opcode: 0x0A, CDW10: 0x81, CDW11: 1})[:16],
	}
}

// mask replaces identities by their names.
func mask(text string, ids map[string][]byte) string {
	var pairs []pair
	for name, id := range ids {
		for i, form := range forms(id) {
			pairs = append(pairs, pair{form, fmt.Sprintf("<%s %d>", name, i)})
		}
	}
	return replacer(pairs).Replace(text)
}

// TestRedactKeepsTheRest checks that every byte that is not an identity stays,
// and that one identity has one invented value in all its places and forms.
func TestRedactKeepsTheRest(t *testing.T) {
	text := identified(t)
	got := redact(t, text)
	want := strings.Split(mask(plain(t, text), originals()), "\n")
	have := strings.Split(mask(plain(t, got), invented(t, got)), "\n")
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("masked captures (-original +redacted):\n%s", diff)
	}
	if len(got) != len(text) {
		t.Errorf("%d bytes, want %d", len(got), len(text))
	}
}

func TestRedactInvents(t *testing.T) {
	ids := invented(t, redact(t, identified(t)))
	if !regexp.MustCompile(`^[A-Z]{3}\d{7}[A-Z]\d[A-Z]?\d*[A-Z]{3}$`).Match(ids["serial"]) {
		t.Errorf("serial number %q has not the shape of %q", ids["serial"], serial)
	}
	if want := "nqn.2014.08.org.nvmexpress:80868086" + string(ids["serial"]) + "  INTEL SSDPE21D960GA"; string(ids["nqn"]) != want {
		t.Errorf("NQN %q, want %q", ids["nqn"], want)
	}
	for i, b := range ids["eui64"] {
		if (b == 0) != (eui64()[i] == 0) {
			t.Errorf("EUI-64 %x: zero bytes moved", ids["eui64"])
		}
	}
	if diff := cmp.Diff(ids, invented(t, redact(t, identified(t)))); diff != "" {
		t.Errorf("the same capture again differs:\n%s", diff)
	}
}

// TestInventedIndependent checks that nobody can find a serial number by
// trying: another one of the same shape has the same invented one.
func TestInventedIndependent(t *testing.T) {
	sn := func(s string) string {
		text := redact(t, header+lineOf(t, identify(nvme.CNSController, 0, controllerPage(s, ""))))
		id, err := nvme.NewController(read(t, text)).Identify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return id.SerialNumber.String()
	}
	a, b := sn("PHM2810300A1960CGN"), sn("XYZ9999999B9999QRS")
	if a != b || a == "PHM2810300A1960CGN" {
		t.Errorf("invented %q and %q", a, b)
	}
}

// TestRedactSmall checks identities that are too short or uniform to be looked
// for everywhere.
func TestRedactSmall(t *testing.T) {
	ns := make([]byte, 4096)
	ns[127] = 1 // EUI-64 0000000000000001.
	ns[30] = 7
	text := func(path, text string) string { return lineOf(t, sysfsLine{Path: path, Text: &text}) }
	got := redact(t, header+
		text("class/nvme/nvme0/serial", "0001\n")+
		text("class/nvme/nvme0/address", "0000:00:01.0001\n")+
		text("class/block/nvme0n1/wwid", "nvme.8086-30303031-31-00000001\n")+
		text("class/block/nvme0n1/eui", "00 00 00 00 00 00 00 01\n")+
		lineOf(t, identify(nvme.CNSController, 0, controllerPage("0001", "nqn.2019-01.org.example:dev:0001")))+
		lineOf(t, identify(nvme.CNSNamespace, 1, ns)))
	c := read(t, got)
	texts, _ := c.Sysfs()
	id, err := nvme.NewController(c).Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sn := id.SerialNumber.String()
	if sn == "0001" || len(sn) != 4 || texts["class/nvme/nvme0/serial"] != sn+"\n" {
		t.Errorf("serial number %q in Identify, %q in sysfs", sn, texts["class/nvme/nvme0/serial"])
	}
	if texts["class/nvme/nvme0/address"] != "0000:00:01.0001\n" {
		t.Errorf("the address became %q", texts["class/nvme/nvme0/address"])
	}
	if want := fmt.Sprintf("nvme.8086-%x-31-00000001\n", sn); texts["class/block/nvme0n1/wwid"] != want {
		t.Errorf("wwid %q, want %q", texts["class/block/nvme0n1/wwid"], want)
	}
	if nqn := id.SUBNQN.String(); !regexp.MustCompile(`^nqn\.2019-01\.org\.example:[a-z]{3}:\d{4}$`).MatchString(nqn) || strings.HasSuffix(nqn, ":dev:0001") {
		t.Errorf("NQN %q", nqn)
	}
	page, err := nvme.NewController(c).IdentifyNamespace(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	eui := page.EUI64
	if eui[7] <= 1 || !bytes.Equal(eui[:7], make([]byte, 7)) || texts["class/block/nvme0n1/eui"] != hexSpaced(string(eui[:]))+"\n" {
		t.Errorf("EUI-64 %v in Identify, %q in sysfs", eui, texts["class/block/nvme0n1/eui"])
	}
	if page.NMIC != 7 {
		t.Error("another byte changed")
	}
}

// TestRedactNothing checks captures without an identity: they stay as they are.
func TestRedactNothing(t *testing.T) {
	ones := bytes.Repeat([]byte{0xFF}, 4096)
	for name, text := range map[string]string{
		"header":    header,
		"no answer": header + `{"queue":"admin","opcode":6,"nsid":0,"cdw10":1,"status":8194,"result":0}` + "\n",
		"zero":      header + lineOf(t, identify(nvme.CNSController, 0, make([]byte, 4096))),
		"dead":      header + lineOf(t, identify(nvme.CNSNamespace, 1, ones)),
		"short":     header + lineOf(t, identify(nvme.CNSController, 0, []byte{1, 2, 3, 4, 5})),
		"discovery": header + `{"sysfs":"a/subsysnqn","text":"nqn.2014-08.org.nvmexpress.discovery\n"}` + "\n",
		"odd wwid":  header + `{"sysfs":"a/wwid","text":"nvme.1\n"}` + "\n" + `{"sysfs":"b/wwid","text":"t10.x\n"}` + "\n",
		"odd list":  header + lineOf(t, identify(nvme.CNSNamespaceDescriptors, 1, []byte{1, 255, 0, 0, 1, 2})),
		"html":      header + `{"sysfs":"a","text":"<&>\u2028"}` + "\n",
	} {
		if diff := cmp.Diff(text, redact(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestRedactHidden checks identities that JSON can hide in escapes, and keys of
// other case.
func TestRedactHidden(t *testing.T) {
	escaped := ""
	for _, c := range serial {
		escaped += fmt.Sprintf(`\u%04x`, c)
	}
	data := base64.StdEncoding.EncodeToString(controllerPage(serial, ""))
	got := redact(t, header+
		`{"sysfs":"a","text":"`+escaped+`"}`+"\n"+
		`{"QUEUE":"admin","Opcode":6,"cdw10":1,"DATA":"`+data+`","x":{"note":"`+serial+`"}}`+"\n")
	if strings.Contains(plain(t, strings.ReplaceAll(got, "DATA", "data")), serial) || strings.Contains(got, escaped) {
		t.Errorf("the serial number is left in\n%.300s", got)
	}
}

func TestRedactErrors(t *testing.T) {
	var out bytes.Buffer
	err := Redact(strings.NewReader(header+exchangeLine+"\n"+`{"queue":`), &out)
	if !errors.Is(err, ErrTruncated) || out.Len() != 0 {
		t.Errorf("Redact: %v, and %d bytes written", err, out.Len())
	}
	many := header
	for i := range maxIdentities + 2 {
		many += fmt.Sprintf(`{"sysfs":"%d/serial","text":"SERIAL%d"}`+"\n", i, i)
	}
	if err := Redact(strings.NewReader(many), &out); !errors.Is(err, ErrTooLarge) || out.Len() != 0 {
		t.Errorf("Redact of many identities: %v", err)
	}
	if err := Redact(strings.NewReader(header), &failing{}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Redact to a full disk: %v", err)
	}
}

// TestRedactPad checks serial numbers that are padded on the left.
func TestRedactPad(t *testing.T) {
	got := redact(t, header+lineOf(t, identify(nvme.CNSController, 0, controllerPage("     X7AS103OTN6T", ""))))
	var e exchange
	if err := json.Unmarshal([]byte(strings.Split(got, "\n")[1]), &e); err != nil {
		t.Fatal(err)
	}
	if sn := string(e.Data[4:24]); !regexp.MustCompile(`^ {5}[A-Z]\d[A-Z]{2}\d{3}[A-Z]{3}\d[A-Z] {3}$`).MatchString(sn) || strings.Contains(sn, "X7AS103OTN6T") {
		t.Errorf("serial number %q", sn)
	}
}
