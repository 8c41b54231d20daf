package conditions

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// simulated opens a simulated drive, with every command that it got in log.
func simulated(t *testing.T, profile string) (c *nvme.Controller, log *[]nvme.Command) {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	log = new([]nvme.Command)
	d.WithTrace(func(cmd *nvme.Command) { *log = append(*log, *cmd) })
	return nvme.NewController(d), log
}

func TestReadDriveModern(t *testing.T) {
	c, _ := simulated(t, "nand-modern")
	s := ReadDrive(t.Context(), c)
	if s.Problems != nil || s.Health == nil || s.Power == nil {
		t.Fatalf("state = %+v", s)
	}
	equal(t, "serial", new("QD1SIMNANDMODERN0001"), s.Serial)
	equal(t, "firmware", new("QD1M0110"), s.Firmware)
	equal(t, "write cache", [2]*bool{new(true), new(true)}, [2]*bool{s.HasWriteCache, s.WriteCache})
	equal(t, "limits", &Limits{Warning: new(83), Critical: new(88), TMT1: new(78), TMT2: new(83)}, s.Limits)
	equal(t, "temperature", new(38), s.Health.Celsius)
	equal(t, "sensors", []*int{new(38), new(52)}, s.Health.Sensors)
	equal(t, "counters", [2]nvme.Uint128{nvme.U128(10_214_330), nvme.U128(41)}, [2]nvme.Uint128{s.Health.DataUnitsRead, s.Health.PowerCycles})
	equal(t, "power state", new(0), s.Power.State)
	if len(s.Power.States) != 5 {
		t.Fatalf("power states = %+v", s.Power.States)
	}
	equal(t, "first state", PowerState{Number: 0, MaxMilliwatts: new(8250.0), Operational: true}, s.Power.States[0])
	equal(t, "last state", PowerState{4, new(5.0), false, new(uint32(10_000)), new(uint32(45_000))}, s.Power.States[4])
	equal(t, "transitions", &APST{Transitions: []Transition{}}, s.Power.APST)
}

func TestAPST(t *testing.T) {
	c, _ := simulated(t, "nand-modern")
	table := make([]byte, apstBytes)
	for from, entry := range []uint32{3<<3 | 100<<8, 3<<3 | 100<<8, 3<<3 | 100<<8, 4<<3 | 2000<<8, 0} {
		binary.LittleEndian.PutUint32(table[from*8:], entry)
	}
	states := ReadDrive(t.Context(), c).Power.States
	want := &APST{
		Enabled:     true,
		Transitions: []Transition{{0, 3, 100}, {1, 3, 100}, {2, 3, 100}, {3, 4, 2000}},
		Deepest:     &states[4],
	}
	equal(t, "table", want, newAPST(true, table, states))
	equal(t, "short table", []Transition{{0, 3, 100}}, newAPST(true, table[:15], states).Transitions)
	binary.LittleEndian.PutUint32(table, 31<<3|1<<8)
	if a := newAPST(true, table[:8], states); a.Deepest != nil || a.Transitions[0].To != 31 {
		t.Errorf("a state that there is not: %+v", a)
	}
}

// TestReadDriveAsksForNothingElse holds that a drive gets no command that it
// does not have, and none that changes anything.
func TestReadDriveAsksForNothingElse(t *testing.T) {
	for _, p := range sim.Profiles() {
		if strings.Contains(p.Name, "dead") {
			continue
		}
		c, log := simulated(t, p.Name)
		before := ReadDrive(t.Context(), c)
		after := ReadDrive(t.Context(), c)
		if before.Problems != nil || before.Health == nil {
			t.Errorf("%s: %q", p.Name, before.Problems)
			continue
		}
		if before.Health.ErrorLogEntries != after.Health.ErrorLogEntries {
			t.Errorf("%s: the error log grew from %v to %v", p.Name, before.Health.ErrorLogEntries, after.Health.ErrorLogEntries)
		}
		for _, cmd := range *log {
			if cmd.Opcode != nvme.AdminIdentify && cmd.Opcode != nvme.AdminGetLogPage && cmd.Opcode != nvme.AdminGetFeatures {
				t.Errorf("%s: command %02Xh", p.Name, cmd.Opcode)
			}
		}
	}
}

func TestReadDriveOptane(t *testing.T) {
	c, _ := simulated(t, "optane-905p")
	s := ReadDrive(t.Context(), c)
	equal(t, "write cache", [2]*bool{new(false), nil}, [2]*bool{s.HasWriteCache, s.WriteCache})
	if s.Power.APST != nil || s.Limits.TMT1 != nil || len(s.Power.States) != 1 {
		t.Errorf("an Optane drive = %+v, power %+v", s, s.Power)
	}
}

// refusing refuses the commands that want says.
func refusing(t *testing.T, profile string, want func(*nvme.Command) error) *nvme.Controller {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return nvme.NewController(nvme.PassthruFunc(func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
		if err := want(cmd); err != nil {
			return nvme.Completion{}, err
		}
		return d.Submit(ctx, cmd)
	}))
}

func TestReadDriveKeepsWhatItHas(t *testing.T) {
	broken := errors.New("broken")
	fails := func(opcode uint8) func(*nvme.Command) error {
		return func(c *nvme.Command) error {
			if c.Opcode == opcode {
				return broken
			}
			return nil
		}
	}
	s := ReadDrive(t.Context(), refusing(t, "nand-modern", fails(nvme.AdminGetFeatures)))
	if len(s.Problems) != 4 || s.Health == nil || s.Power == nil || s.Power.State != nil || s.Power.APST != nil || s.WriteCache != nil || !*s.HasWriteCache {
		t.Errorf("without features: %+v", s)
	}
	s = ReadDrive(t.Context(), refusing(t, "nand-modern", fails(nvme.AdminIdentify)))
	equal(t, "problems", []string{"Identify Controller could not be read: broken"}, s.Problems)
	if s.Health == nil || s.Power != nil || s.HasWriteCache != nil || s.Limits != nil || s.Serial != nil {
		t.Errorf("without Identify: %+v", s)
	}
	s = ReadDrive(t.Context(), refusing(t, "nand-modern", fails(nvme.AdminGetLogPage)))
	if s.Health != nil || s.Power == nil || len(s.Problems) != 1 {
		t.Errorf("without SMART: %+v", s)
	}
}

func TestCelsius(t *testing.T) {
	tests := []struct {
		k    nvme.Kelvin
		want *int
	}{{0, nil}, {273, new(0)}, {311, new(38)}, {233, new(-40)}, {232, nil}, {398, new(125)}, {399, nil}, {0xFFFF, nil}}
	for _, tt := range tests {
		equal(t, "celsius", tt.want, celsius(tt.k))
	}
	equal(t, "a sensor in the middle is missing", []*int{new(27), nil, new(47)}, sensors([8]nvme.Kelvin{300, 0, 320}))
}

func TestDriveStateJSON(t *testing.T) {
	b, err := json.Marshal(DriveState{})
	want := `{"serial":null,"firmware":null,"health":null,"power":null,"volatile_write_cache_present":null,"volatile_write_cache":null,"temperature_limits":null}`
	if err != nil || string(b) != want {
		t.Errorf("nothing known = %s, %v", b, err)
	}
}

func FuzzAPST(f *testing.F) {
	f.Add([]byte{0x18, 0x64, 0, 0, 0, 0, 0, 0}, uint8(5))
	f.Add([]byte{0xF8, 1, 0, 0}, uint8(0))
	f.Fuzz(func(t *testing.T, table []byte, npss uint8) {
		id := &nvme.IdentifyController{NPSS: npss}
		states := powerStates(id)
		a := newAPST(true, table, states)
		if len(a.Transitions) > len(states) {
			t.Errorf("%d transitions of %d states", len(a.Transitions), len(states))
		}
		for _, tr := range a.Transitions {
			if tr.IdleMS <= 0 || tr.To > 31 || tr.From >= len(states) {
				t.Errorf("transition %+v", tr)
			}
		}
		if a.Deepest != nil && a.Deepest.Number >= len(states) {
			t.Errorf("deepest %+v", a.Deepest)
		}
	})
}
