package inuse

import (
	"path"
	"slices"
	"strings"
)

// commBytes is the longest name of a process that the kernel keeps.
const commBytes = 15

// habit is what a program is known to do to drives.
type habit struct {
	// names are of executables and scripts.
	names []string
	text  string
}

// habits are the programs that send commands to drives on their own. A command
// that waits behind a long one may run into the kernel's time-out, which
// resets the drive.
func habits() []habit {
	return []habit{
		{[]string{"smartd"}, "reads the SMART log of each drive at intervals; pause it with: systemctl stop smartd"},
		{[]string{"udisksd"}, "reads SMART data at intervals, looks at each new partition, and may mount it; pause it with: systemctl stop udisks2"},
		{[]string{"multipathd"}, "checks the paths to each drive and may take a new namespace for its own; pause it with: systemctl stop multipathd.socket multipathd"},
		{[]string{"fwupd"}, "asks drives for their firmware; pause it with: systemctl stop fwupd"},
		{[]string{"scrutiny", "scrutiny-collector-metrics"}, "reads SMART data by smartctl; pause its collector: stop the container or its timer"},
		{[]string{"smartctl_exporter"}, "reads SMART data by smartctl once a minute; pause it with: systemctl stop smartctl_exporter"},
		{[]string{"nvme_exporter", "prometheus-nvme-exporter"}, "reads SMART data at each scrape; pause it with: systemctl stop nvme_exporter"},
		{[]string{"node_exporter", "prometheus-node-exporter"}, "reads temperatures from the drive at each scrape; pause it with: systemctl stop node_exporter, on Debian prometheus-node-exporter"},
		{[]string{"telegraf"}, "may read SMART data and temperatures at intervals; pause it with: systemctl stop telegraf"},
		{[]string{"netdata"}, "reads temperatures from the drive every second; pause it with: systemctl stop netdata"},
		{[]string{"collectd"}, "may read SMART data and temperatures at intervals; pause it with: systemctl stop collectd"},
		{[]string{"zabbix_agentd", "zabbix_agent2"}, "may read SMART data at intervals; pause it with: systemctl stop zabbix-agent, or zabbix-agent2"},
		{[]string{"hddtemp"}, "reads the temperature of drives; pause it with: systemctl stop hddtemp"},
		{[]string{"sensord", "fancontrol", "coolercontrold"}, "reads temperatures from the drive every few seconds; stop its service meanwhile"},
		{[]string{"pvestatd"}, "looks at the storage of the node every few seconds; pause it with: systemctl stop pvestatd"},
		{[]string{"ceph-osd"}, "reads SMART data of its drives by smartctl and nvme; set the cluster's device monitoring off meanwhile"},
		{[]string{"gsmartcontrol", "gnome-disks", "nvmetop", "nvme-cli"}, "shows drives and asks them for data; close it meanwhile"},
		{[]string{"smartctl", "nvme", "hdparm", "sedutil-cli", "fio"}, "sends commands to a drive right now; wait until it has ended"},
	}
}

// addPoller notes a process that is known to send commands to drives.
func (s *survey) addPoller(p process) {
	if slices.Contains(s.Ignore, p.pid) {
		return
	}
	for _, h := range s.habits {
		if slices.ContainsFunc(h.names, p.is) {
			s.out.Pollers = append(s.out.Pollers, Poller{PID: p.pid, Process: clean(p.comm), Text: clean(p.comm) + " " + h.text})
			return
		}
	}
}

// is reports whether the process runs a program: by the name that the kernel
// keeps, by its command line, or by the script that an interpreter runs.
func (p process) is(program string) bool {
	if p.comm == program[:min(len(program), commBytes)] && len(program) >= commBytes || p.comm == program {
		return true
	}
	for i, arg := range p.argv[:min(len(p.argv), 2)] {
		if path.Base(arg) == program && (i == 0 || interpreter(p.argv[0])) {
			return true
		}
	}
	return false
}

// interpreter reports whether a program runs scripts.
func interpreter(program string) bool {
	return slices.ContainsFunc([]string{"python", "perl", "ruby", "node", "sh", "bash", "dash"}, func(name string) bool {
		version, ok := strings.CutPrefix(path.Base(program), name)
		return ok && strings.Trim(version, "0123456789.") == ""
	})
}
