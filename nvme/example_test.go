package nvme_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"qd1.example/qd1/nvme"
)

// drive is a device with a SMART log and nothing else. Package ioctl opens
// those that Linux has.
func drive(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if cmd.Opcode != nvme.AdminGetLogPage || nvme.LID(cmd.CDW10) != nvme.LIDSMART {
		return nvme.Completion{Status: nvme.StatusInvalidField}, nil
	}
	binary.LittleEndian.PutUint16(cmd.Data[1:], 273+41)
	binary.LittleEndian.PutUint64(cmd.Data[48:], 2_000_000)
	cmd.Data[112] = 3
	return nvme.Completion{}, nil
}

// Read the SMART / Health Information log of a drive that nothing can write to.
func Example() {
	c := nvme.NewController(nvme.ReadOnly(nvme.PassthruFunc(drive)))
	log, err := c.SMARTLog(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	if celsius, ok := log.CompositeTemperature.Celsius(); ok {
		fmt.Printf("%d °C, ", celsius)
	}
	fmt.Printf("%v power cycles, %.0f GB written\n", log.PowerCycles, log.DataUnitsWritten.Float64()*nvme.DataUnit/1e9)
	// Output: 41 °C, 3 power cycles, 1024 GB written
}

// A status is an error, whatever its retry bits are.
func ExampleStatus() {
	_, err := nvme.NewController(nvme.PassthruFunc(drive)).FirmwareSlotLog(context.Background())
	fmt.Println(err)
	fmt.Println(errors.Is(err, nvme.StatusInvalidField), errors.Is(err, nvme.ErrNotSupported))
	// Output:
	// Get Log Page (Firmware Slot Information): Invalid Field in Command (0x002)
	// true true
}

// A guarded drive does not get commands that could change it.
func ExampleReadOnly() {
	guarded := nvme.ReadOnly(nvme.PassthruFunc(drive))
	_, err := guarded.Submit(context.Background(), &nvme.Command{Opcode: nvme.AdminFormatNVM, NSID: 1})
	fmt.Println(err)
	// Output: Format NVM, admin command 80h: would modify the drive
}
