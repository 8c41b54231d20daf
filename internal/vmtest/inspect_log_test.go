package vmtest_test

import "fmt"

// logInspection are the log pages: those that the emulated drives answer, 1 to 5,
// and all of the served one. nvme reads them with the generic command.
func logInspection() inspection {
	i := inspection{name: "Logs", counting: modern}
	add := i.log
	const entriesOfQEMU, entriesOfOurs = 1, 64
	for _, drive := range []string{many, small} {
		add(drive, "error", 1, entriesOfQEMU*64, "", false)
		add(drive, "smart", 2, 512, "", true)
		add(drive, "firmware", 3, 512, "", false)
		add(drive, "changed-namespaces", 4, 4096, "", false)
		add(drive, "effects", 5, 4096, "", false)
	}
	add(many, "effects", 5, 4096, " -y 2", false)
	add(modern, "supported-pages", 0, 1024, "", false)
	add(modern, "error", 1, entriesOfOurs*64, "", false)
	add(modern, "smart", 2, 512, "", true)
	add(modern, "firmware", 3, 512, "", false)
	add(modern, "changed-namespaces", 4, 4096, "", false)
	add(modern, "effects", 5, 4096, "", false)
	add(modern, "self-test", 6, 564, "", false)
	add(modern, "telemetry-host", 7, 512, "", true)
	add(modern, "telemetry-controller", 8, 512, "", false)
	add(modern, "endurance", 9, 512, " -S 1", true)
	add(modern, "sanitize", 0x81, 512, "", false)
	// A part of a page: nvme has no short name for the offset that means the same
	// in all of its versions.
	i.pages = append(i.pages, samePage{qd1: "log effects -O 1024 -l 2048 -b " + modern, nvme: "get-log -i 5 -l 2048 --lpo=1024 -b " + modern})
	for _, name := range []string{"list", "persistent-event", "ana", "self-test", "0xc0", "telemetry-host --file /tmp/telemetry", "telemetry-controller --file /tmp/none"} {
		i.reads = append(i.reads, "log "+name+" "+modern)
	}
	i.reads = append(i.reads, "errors "+modern)
	return i
}

// log adds a log page of so many bytes, with options that qd1 and nvme share.
func (i *inspection) log(drive, name string, lid, bytes int, options string, moves bool) {
	i.pages = append(i.pages, samePage{
		qd1:   fmt.Sprintf("log %s -b%s %s", name, options, drive),
		nvme:  fmt.Sprintf("get-log -i %d -l %d -b%s %s", lid, bytes, options, drive),
		moves: moves,
	})
}
