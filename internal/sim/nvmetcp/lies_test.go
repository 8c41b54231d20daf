package nvmetcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// liar is a simulated drive as a program serves it.
type liar struct{ *sim.Drive }

func (d liar) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	c, err := d.Drive.Submit(ctx, cmd)
	if errors.Is(err, sim.ErrDisconnect) {
		err = fmt.Errorf("%w: %w", ErrDisconnect, err)
	}
	return c, err
}

func openLiar(t *testing.T, profile, script string) liar {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	f, err := sim.ParseFaults(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	d.WithFaults(f)
	return liar{d}
}

// way is how commands get to a drive. lost is returned where no answer comes
// any more; the next command goes by a new connection.
type way func(cmd *nvme.Command) (status nvme.Status, result uint64, lost bool)

// inside submits the commands in the process.
func inside(t *testing.T, d liar) way {
	return func(cmd *nvme.Command) (nvme.Status, uint64, bool) {
		c, err := d.Submit(t.Context(), cmd)
		if err != nil && !errors.Is(err, ErrDisconnect) {
			t.Fatal(err)
		}
		return c.Status, c.Result, err != nil
	}
}

// connected is a host that connects when it has to.
type connected struct {
	t         *testing.T
	addr      string
	admin, io *host
}

func outside(t *testing.T, d liar) way {
	c := &connected{t: t, addr: startServer(t, Options{}, Subsystem{testNQN, d})}
	return c.do
}

func (c *connected) do(cmd *nvme.Command) (nvme.Status, uint64, bool) {
	if c.admin == nil {
		c.admin, c.io = pair(c.t, c.addr, 0)
	}
	h := c.admin
	if cmd.Queue == nvme.IOQueue {
		h = c.io
	}
	entry := sqe(cmd.Opcode, uint32(cmd.NSID), cmd.CDW10, cmd.CDW11, cmd.CDW12)
	var capsule []byte
	n := len(cmd.Data)
	if cmd.Transfer() == nvme.HostToController {
		capsule, n = cmd.Data, 0
	}
	h.send(entry, capsule, n)
	var data []byte
	for {
		p, err := h.read()
		if err != nil {
			c.admin, c.io = nil, nil
			return 0, 0, true
		}
		if p.head[0] == 7 {
			data = p.data
			continue
		}
		copy(cmd.Data, data)
		cpl := p.head[8:]
		return nvme.Status(binary.LittleEndian.Uint16(cpl[14:]) >> 1), binary.LittleEndian.Uint64(cpl), false
	}
}

// Parts of the drives of these tests: two namespaces of 512 KiB.
const liarPages = 128

// survey reads every page of a namespace. A page that cannot be read is its
// status.
func survey(do way, nsid nvme.NSID, format nvme.Status) []string {
	var pages []string
	for page := range uint32(liarPages) {
		cmd := readPage(nsid, page)
		status, _, _ := do(cmd)
		for end := time.Now().Add(10 * time.Second); status.Code() == format && time.Now().Before(end); status, _, _ = do(cmd) {
			time.Sleep(time.Millisecond)
		}
		text := fmt.Sprint(status)
		if status.OK() {
			text = string(cmd.Data)
		}
		pages = append(pages, text)
	}
	return pages
}

func readPage(nsid nvme.NSID, page uint32) *nvme.Command {
	return &nvme.Command{Queue: nvme.IOQueue, Opcode: nvme.IORead, NSID: nsid, CDW10: page * 8, CDW12: 7, Data: make([]byte, 4096)}
}

// tell lets a drive tell its lie, and returns all that a host sees of it.
func tell(do way, erase *nvme.Command) []string {
	seen := []string{}
	note := func(format string, a ...any) { seen = append(seen, fmt.Sprintf(format, a...)) }
	for _, page := range []uint32{100, 101, 3} {
		do(&nvme.Command{
			Queue: nvme.IOQueue, Opcode: nvme.IOWrite, NSID: 1, CDW10: page * 8, CDW12: 7,
			Data: bytes.Repeat([]byte{byte(page)}, 4096),
		})
	}
	before := [][]string{nil, survey(do, 1, 1), survey(do, 2, 1)}
	status, _, lost := do(erase)
	note("erase: %v, lost %v", status, lost)
	for nsid := nvme.NSID(1); nsid <= 2; nsid++ {
		busy := nvme.StatusSanitizeInProgress
		if erase.Opcode == nvme.AdminFormatNVM {
			busy = nvme.StatusFormatInProgress
		}
		for page, text := range survey(do, nsid, busy) {
			switch {
			case text == before[nsid][page]:
				note("namespace %d, page %d: unchanged", nsid, page)
			case len(text) < 4096:
				note("namespace %d, page %d: %s", nsid, page, text)
			}
		}
	}
	for _, cmd := range []*nvme.Command{
		{Opcode: nvme.AdminIdentify, NSID: 1, CDW10: uint32(nvme.CNSNamespace), Data: make([]byte, 4096)},
		{Opcode: nvme.AdminGetLogPage, NSID: nvme.BroadcastNSID, CDW10: uint32(nvme.LIDSanitize) | 127<<16, Data: make([]byte, 512)},
		{Opcode: nvme.AdminGetFeatures, CDW10: uint32(nvme.FIDArbitration)},
	} {
		status, result, lost := do(cmd)
		note("%02X: %v, %#x, lost %v, % X", cmd.Opcode, status, result, lost, cmd.Data)
	}
	id := &nvme.Command{Opcode: nvme.AdminIdentify, CDW10: uint32(nvme.CNSController), Data: make([]byte, 4096)}
	do(id)
	note("model %s", id.Data[24:64])
	return seen
}

func format(ses uint32) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminFormatNVM, NSID: 1, CDW10: ses << 9}
}

func sanitize(action uint32) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminSanitize, CDW10: action}
}

// TestLies checks that what a host sees of each lie is the same over NVMe/TCP
// and in the process, and that some of it is what the lie is about.
func TestLies(t *testing.T) {
	for _, tc := range []struct {
		script string
		erase  *nvme.Command
		// unchanged is how many pages of both namespaces are as they were.
		unchanged int
		contains  string
	}{
		{``, format(1), liarPages, "erase: Successful Completion (0x000), lost false"},
		{`{"do":"leave-all"}`, format(1), 2 * liarPages, "erase: Successful"},
		{`{"do":"leave-all"}`, sanitize(2), 2 * liarPages, "erase: Successful"},
		{`{"when":{"ses":2},"do":"leave-all"}`, format(2), 2 * liarPages, "erase: Successful"},
		{`{"when":{"action":4},"do":"leave-all"}`, sanitize(4), 2 * liarPages, "erase: Successful"},
		{`{"do":"leave-rest","percent":75}`, format(1), liarPages + liarPages/4, "page 96: unchanged"},
		{`{"do":"leave-region","lba_from":80,"lba_to":95}`, sanitize(2), 4, "namespace 2, page 11: unchanged"},
		{`{"do":"leave-recent"}`, format(1), liarPages + 3, "page 101: unchanged"},
		{`{"do":"leave-scattered","ppm":1000000}`, format(1), 2 * liarPages, "erase: Successful"},
		{`{"do":"all-namespaces"}`, format(1), 0, "erase: Successful"},
		{`{"do":"fail","percent":50}`, format(1), liarPages + liarPages/2, "erase: Internal Error"},
		{`{"do":"fail","percent":50,"status":266}`, format(1), liarPages + liarPages/2, "erase: Invalid Format"},
		{`{"do":"old-data","times":5}`, format(1), liarPages + 5, "page 4: unchanged"},
		{`{"do":"old-data"}`, sanitize(2), 2 * liarPages, "page 4: unchanged"},
		{`{"do":"status","status":0}`, format(1), 2 * liarPages, "erase: Successful"},
		// The volatile cache loses two pages.
		{`{"when":{"opcode":128,"queue":"admin"},"do":"power-loss","percent":50,"times":1}`, format(1), liarPages + liarPages/2 - 2, "lost true"},
		{`{"when":{"opcode":128,"queue":"admin"},"do":"reset","percent":50,"times":1}`, format(1), liarPages + liarPages/2, "lost true"},
		{`{"when":{"opcode":128,"queue":"admin"},"do":"ghost","percent":50,"times":1}`, format(1), 0, "model SM2270 "},
	} {
		if tc.script == `{"do":"status","status":0}` {
			tc.script = `{"when":{"queue":"admin","opcode":128},"do":"status","status":0}`
		}
		const profile = "nand-modern?namespaces=2&size=1048576&speed=1000"
		want := tell(inside(t, openLiar(t, profile, tc.script)), tc.erase)
		got := tell(outside(t, openLiar(t, profile, tc.script)), tc.erase)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, %02X: over NVMe/TCP it is another lie (-inside +outside):\n%.2000s", tc.script, tc.erase.Opcode, diff)
		}
		all := strings.Join(got, "\n")
		if n := strings.Count(all, ": unchanged"); n != tc.unchanged || !strings.Contains(all, tc.contains) {
			t.Errorf("%s, %02X: %d pages are unchanged, want %d and %q: %.200s", tc.script, tc.erase.Opcode, n, tc.unchanged, tc.contains, all)
		}
	}
}

// TestStallOverTCP checks the progress of a sanitize operation that stands
// still.
func TestStallOverTCP(t *testing.T) {
	do := outside(t, openLiar(t, "nand-modern?speed=10000&size=2097152", `{"do":"stall","percent":1}`))
	do(sanitize(2))
	time.Sleep(5 * time.Millisecond)
	log := &nvme.Command{Opcode: nvme.AdminGetLogPage, CDW10: uint32(nvme.LIDSanitize) | 127<<16, Data: make([]byte, 512)}
	if status, _, _ := do(log); !status.OK() || binary.LittleEndian.Uint16(log.Data) != 655 {
		t.Errorf("%v, progress %d, want 655", status, binary.LittleEndian.Uint16(log.Data))
	}
}

// TestFormatWithoutAnswer lets a host give up a format that is never answered,
// as the kernel does after its time-out: the drive answers on a new connection,
// after the format, and is erased.
func TestFormatWithoutAnswer(t *testing.T) {
	d := openLiar(t, "optane-905p?speed=1000&size=1048576", `{"when":{"opcode":128},"do":"no-answer"}`)
	addr := startServer(t, Options{}, Subsystem{testNQN, d})
	admin := dial(t, addr).initialize(0, 0)
	admin.admin(testNQN, 0)
	admin.send(sqe(nvme.AdminFormatNVM, 1, 1<<9), nil, 0)
	longest := time.Duration(0)
	for begin := time.Now(); longest < 100*time.Millisecond && time.Since(begin) < 5*time.Second; {
		sent := time.Now() // The first ones may come before the format.
		if a := admin.do(sqe(nvme.AdminIdentify, 0, 1), nil, 4096, nil); a.status != 0 {
			t.Fatalf("Identify: status %#x", a.status)
		}
		longest = max(longest, time.Since(sent))
	}
	if longest < 100*time.Millisecond {
		t.Errorf("no Identify waited longer than %v for a format of 436 ms", longest)
	}
	admin.conn.Close()
	_, h := pair(t, addr, 0)
	if a := h.do(read(0, 4096), nil, 4096, nil); a.status != 0 || !bytes.Equal(a.data, make([]byte, 4096)) {
		t.Errorf("status %#x, and the drive is not erased", a.status)
	}
}

// TestKeepAliveDuringFormat checks that Keep Alive is answered during a format
// in which nothing else is, unless the drive is to be as deaf as it can.
func TestKeepAliveDuringFormat(t *testing.T) {
	for query, waits := range map[string]bool{"": false, "&keep_alive=waits": true} {
		admin := dial(t, startServer(t, Options{}, Subsystem{testNQN, openLiar(t, "optane-905p?speed=400"+query, ``)})).initialize(0, 0)
		admin.admin(testNQN, 0)
		format := admin.send(sqe(nvme.AdminFormatNVM, 1, 1<<9), nil, 0)
		time.Sleep(100 * time.Millisecond) // The format must come first.
		alive := admin.send(sqe(nvme.AdminKeepAlive, 0), nil, 0)
		first, begin := admin.await(nil), time.Now()
		second := admin.await(nil)
		if !waits && (first.cid != alive || second.cid != format || time.Since(begin) < 200*time.Millisecond) {
			t.Errorf("%q: Keep Alive is answered with the format", query)
		}
		if waits && time.Since(begin) > 200*time.Millisecond {
			t.Errorf("%q: the answers to commands %d and %d come apart", query, first.cid, second.cid)
		}
	}
}
