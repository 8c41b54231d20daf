package dump

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"qd1.example/qd1/nvme"
)

// smartctlSMARTKeys gives the fields of the SMART log by their JSON keys in
// smartctl. Temperatures are apart, because they are in degrees Celsius.
func smartctlSMARTKeys() map[string]string {
	return map[string]string{
		"critical_warning":          "critical_warning",
		"available_spare":           "available_spare_percent",
		"available_spare_threshold": "available_spare_threshold_percent",
		"percentage_used":           "percentage_used_percent",
		"data_units_read":           "data_units_read",
		"data_units_written":        "data_units_written",
		"host_reads":                "host_read_commands",
		"host_writes":               "host_write_commands",
		"controller_busy_time":      "controller_busy_minutes",
		"power_cycles":              "power_cycles",
		"power_on_hours":            "power_on_hours",
		"unsafe_shutdowns":          "unsafe_shutdowns",
		"media_errors":              "media_errors",
		"num_err_log_entries":       "error_log_entries",
		"warning_temp_time":         "warning_temperature_minutes",
		"critical_comp_time":        "critical_temperature_minutes",
		"thermal_mgmt_temperature_1_transition_count": "tmt1_transitions",
		"thermal_mgmt_temperature_2_transition_count": "tmt2_transitions",
		"thermal_mgmt_temperature_1_total_time":       "tmt1_seconds",
		"thermal_mgmt_temperature_2_total_time":       "tmt2_seconds",
	}
}

// smartctlJSON reads "smartctl --json".
func (s *scanner) smartctlJSON(n *node) error {
	const tool = smartctlTool + " JSON"
	if protocol := n.get("device", "protocol").text(); protocol != "" && protocol != "NVMe" {
		name := printable(n.get("model_name").text())
		s.dump.Skipped = append(s.dump.Skipped, name)
		s.useless(tool, n.line, "%s is not an NVMe drive but %s", name, printable(protocol))
		return nil
	}
	id := new(nvme.IdentifyController)
	d := &Drive{controller: newPage(id, n.line)}
	for _, read := range []func(*Drive, *node) error{
		controllerOf, limitsOf, spacesOf, healthOf, errorsOf,
	} {
		if err := read(d, n); err != nil {
			return fault(tool, n.line, err)
		}
	}
	d.hostOf(n, id)
	if len(d.controller.known) == 0 {
		d.controller = nil
	}
	if d.controller == nil && d.smart == nil {
		s.useless(tool, n.line, "%s", better(messageOf(n), "no values"))
		return nil
	}
	return s.add(part{tool: smartctlTool, version: versionOf(n), line: n.line, drive: d})
}

// versionOf returns "7.3" of [7, 3].
func versionOf(n *node) string {
	var v []string
	for _, one := range n.get("smartctl", "version").elements() {
		v = append(v, fmt.Sprint(one.uint()))
	}
	return strings.Join(v, ".")
}

// messageOf returns what smartctl says went wrong.
func messageOf(n *node) string {
	for _, m := range n.get("smartctl", "messages").elements() {
		if text := m.get("string").text(); text != "" {
			return printable(text)
		}
	}
	return ""
}

func (d *Drive) hostOf(n *node, id *nvme.IdentifyController) {
	h := &d.Host
	h.Device = n.get("device", "name").text()
	h.Platform = n.get("smartctl", "platform_info").text()
	h.Time = n.get("local_time", "asctime").text()
	h.VendorID, h.SubsystemVendorID = id.VID, id.SSVID
	h.SizeBytes = n.get("user_capacity", "bytes").uint()
	if total, ok := id.TNVMCAP.Uint64(); ok && total != 0 {
		h.SizeBytes = total
	}
	if v := n.get("smart_status", "passed"); v != nil {
		h.Verdict = "FAILED"
		if v.uint() == 1 {
			h.Verdict = "PASSED"
		}
	}
	d.allSpaces = id.NN == 1 && len(d.namespaces) == 1
}

func controllerOf(d *Drive, n *node) error {
	err := d.setIdentity(n.get("serial_number").text(), n.get("model_name").text(), n.get("firmware_version").text())
	if err != nil {
		return err
	}
	for _, f := range []struct {
		key  string
		path []string
	}{
		{"vid", []string{"nvme_pci_vendor", "id"}},
		{"ssvid", []string{"nvme_pci_vendor", "subsystem_id"}},
		{"ieee", []string{"nvme_ieee_oui_identifier"}},
		{"tnvmcap", []string{"nvme_total_capacity"}},
		{"unvmcap", []string{"nvme_unallocated_capacity"}},
		{"cntlid", []string{"nvme_controller_id"}},
		{"nn", []string{"nvme_number_of_namespaces"}},
		{"ver", []string{"nvme_version"}},
		{"frmw", []string{"nvme_firmware_update_capabilities"}},
		{"oacs", []string{"nvme_optional_admin_commands"}},
		{"oncs", []string{"nvme_optional_nvm_commands"}},
		{"lpa", []string{"nvme_log_page_attributes"}},
	} {
		if err := setNode(d.controller, f.key, n.get(f.path...)); err != nil {
			return err
		}
	}
	return nil
}

// setNode sets a field from a number, if it is there.
func setNode(p *page, key string, v *node) error {
	n, ok, err := v.number()
	if err == nil && ok {
		err = p.setNumber(key, n)
	}
	if err != nil {
		return &ParseError{smartctlTool + " JSON", v.line, fmt.Errorf("%s: %w", key, err)}
	}
	return nil
}

// limitsOf takes what belongs to Identify Controller and is not printed as it
// stands there.
func limitsOf(d *Drive, n *node) error {
	if v := n.get("nvme_maximum_data_transfer_pages"); v != nil {
		if err := setTransfer(d.controller, fmt.Sprint(v.uint())); err != nil {
			return fault(smartctlTool+" JSON", v.line, err)
		}
	}
	for key, name := range map[string]string{"wctemp": "warning", "cctemp": "critical"} {
		v := n.get("nvme_composite_temperature_threshold", name)
		if v == nil {
			continue
		}
		k, err := v.kelvin()
		if err == nil {
			err = d.controller.setNumber(key, k)
		}
		if err != nil {
			return fault(smartctlTool+" JSON", v.line, fmt.Errorf("%s: %w", key, err))
		}
	}
	return nil
}

// kelvin reads a temperature in degrees Celsius.
func (n *node) kelvin() (number, error) {
	if n == nil || n.scalar == nil {
		return number{}, nil // Not reported.
	}
	return parseKelvin(fmt.Sprint(n.scalar) + " C")
}

func spacesOf(d *Drive, n *node) error {
	for _, v := range n.get("nvme_namespaces").elements() {
		ns := new(nvme.IdentifyNamespace)
		sp := &smartctlSpace{page: newPage(ns, v.line), ns: ns, block: v.get("formatted_lba_size").uint()}
		sp.size, sp.hasSize = v.get("size", "bytes").uint(), v.get("size") != nil
		sp.capacity, sp.hasCap = v.get("capacity", "bytes").uint(), v.get("capacity") != nil
		sp.used, sp.hasUsed = v.get("utilization", "bytes").uint(), v.get("utilization") != nil
		if e := v.get("eui64"); e != nil {
			b := binary.BigEndian.AppendUint64(nil, e.get("oui").uint()<<40|e.get("ext_id").uint()&(1<<40-1))
			if err := sp.page.setBytes("eui64", b); err != nil {
				return err
			}
		}
		if err := sp.formatsOf(v); err != nil {
			return fault(smartctlTool+" JSON", v.line, err)
		}
		if err := sp.finish(); err != nil {
			return fault(smartctlTool+" JSON", v.line, err)
		}
		d.namespace(nvme.NSID(v.get("id").uint()), sp.page)
	}
	return nil
}

// formatsOf takes the LBA formats of a namespace, if they are there.
func (sp *smartctlSpace) formatsOf(v *node) error {
	for i, f := range v.get("lba_formats").elements() {
		power := bitsOf(f.get("data_bytes").uint())
		m := []string{"", fmt.Sprint(i), fmt.Sprint(f.get("metadata_bytes").uint()), "", fmt.Sprint(f.get("relative_performance").uint())}
		if err := setFormat(sp.page, sp.ns, m, power); err != nil {
			return err
		}
		if f.get("formatted").uint() == 1 {
			if err := sp.page.setUint("flbas", uint64(i&0xF|i>>4<<5)); err != nil {
				return err
			}
		}
		if err := sp.page.setUint("nlbaf", uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

// healthOf takes the SMART log. What smartctl leaves out there it leaves out
// because it is zero, but for the counters of thermal management, which
// versions before 8.0 never have.
func healthOf(d *Drive, n *node) error {
	log := n.get("nvme_smart_health_information_log")
	if log == nil {
		return nil
	}
	l := new(nvme.SMARTLog)
	p := newPage(l, log.line)
	if err := setKeys(p, log, smartctlSMARTKeys()); err != nil {
		return err
	}
	if v := log.get("temperature"); v != nil {
		k, err := v.kelvin()
		if err != nil {
			return fault(smartctlTool+" JSON", v.line, fmt.Errorf("temperature: %w", err))
		}
		l.CompositeTemperature = nvme.Kelvin(k.Lo)
		p.mark(exact, temperatureField)
	}
	for i, v := range log.get("temperature_sensors").elements() {
		k, err := v.kelvin()
		if err != nil || i >= len(l.TemperatureSensors) {
			return fault(smartctlTool+" JSON", v.line, fmt.Errorf("temperature sensor %d: %w", i+1, errNumber))
		}
		l.TemperatureSensors[i] = nvme.Kelvin(k.Lo)
	}
	p.markAbsent(sensorsField, "warning_temperature_minutes", "critical_temperature_minutes")
	d.smart = p
	return nil
}

func errorsOf(d *Drive, n *node) error {
	log := n.get("nvme_error_information_log")
	if log == nil {
		return nil
	}
	r := newErrorReader(log.line)
	r.log.kept = int(min(log.get("size").uint(), maxErrors))
	for _, e := range log.get("table").elements() {
		if err := errorOf(r, e); err != nil {
			return fault(smartctlTool+" JSON", e.line, err)
		}
	}
	d.errors = r.done()
	if r.log.kept > 0 {
		return d.controller.setUint("elpe", uint64(r.log.kept-1))
	}
	return nil
}

// errorOf takes an entry. What is not there was all ones.
func errorOf(r *errorReader, e *node) error {
	for _, f := range []struct {
		key, from string
		none      uint64
	}{
		{"error_count", "error_count", 0}, {"sqid", "submission_queue_id", math.MaxUint16},
		{"cmdid", "command_id", math.MaxUint16}, {"status_field", "status_field", 0}, {"phase_tag", "phase_tag", 0},
		{"parm_err_loc", "parm_error_location", math.MaxUint16}, {"lba", "lba", math.MaxUint64},
		{"nsid", "nsid", math.MaxUint32},
	} {
		v, ok, err := e.get(f.from).number()
		if !ok {
			v = number{Uint128: nvme.U128(f.none)}
		}
		if err == nil {
			err = r.set(f.key, v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.from, err)
		}
	}
	return r.end()
}
