package guard

import (
	"fmt"
	"strings"

	"qd1.example/qd1/internal/inuse"
)

const hintRoot = "run it as root: only root sees the open files and mounts of all processes"

// useChecks turns a survey into checks. Nothing overrides a use.
func useChecks(c *Case) []Check {
	var checks []Check
	s := c.Survey
	for i := range s.Uses {
		checks = append(checks, refuse(checkInUse, useHint(&s.Uses[i]), "%s", useText(&s.Uses[i])))
	}
	if len(s.Uses) == 0 {
		checks = append(checks, pass(checkInUse, "nobody was found who uses %s", and(c.devices())))
	}
	if len(s.Unchecked) > 0 {
		checks = append(checks, refuse(checkUnchecked, hintRoot, "it cannot be known who uses the drive: %s", strings.Join(s.Unchecked, "; ")))
	}
	for _, p := range s.Pollers {
		text := p.Text
		if text == "" {
			text = fmt.Sprintf("%s (process %d) asks drives on its own", p.Process, p.PID)
		}
		checks = append(checks, warn(checkPollers, "%s", text))
	}
	return checks
}

// useText says a use in words.
func useText(u *inuse.Use) string {
	if u.Text != "" {
		return u.Text
	}
	text := fmt.Sprintf("%s is in use (%s", u.Device, u.Kind)
	if u.Name != "" {
		text += " " + u.Name
	}
	if u.PID != 0 {
		text += fmt.Sprintf(", process %d %s", u.PID, u.Process)
	}
	return text + ")"
}

// useHints say how to end a use.
func useHint(u *inuse.Use) string {
	switch u.Kind {
	case inuse.Mount:
		return withName("unmount it: umount ", u.Name, "unmount it")
	case inuse.Swap:
		return withName("switch it off: swapoff /dev/", u.Device, "")
	case inuse.Hibernation:
		return "the image of a sleeping system lies here: start that system, or change resume="
	case inuse.MD:
		return withName("stop the array, or take the drive out of it: mdadm --stop /dev/", u.Name, "stop the array")
	case inuse.LVM:
		return "deactivate the volume group: vgchange -an"
	case inuse.Crypt:
		return withName("close it: cryptsetup close ", u.Name, "close the encrypted volume")
	case inuse.Multipath:
		return "let multipathd flush the map: multipath -f"
	case inuse.Loop:
		return "detach the loop device: losetup -d"
	case inuse.ZFS:
		return withName("export the pool: zpool export ", u.Name, "export the pool")
	case inuse.OpenFile:
		if u.PID != 0 {
			return fmt.Sprintf("end process %d, or let it close the device", u.PID)
		}
	case inuse.VFIO:
		return "shut down the virtual machine that has the drive"
	}
	return "end the use first"
}

// withName returns the text with the name, or the other text without one.
func withName(text, name, without string) string {
	if name == "" {
		return without
	}
	return text + name
}
