package dump

import (
	"fmt"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/nvme"
)

// smartLabels gives the fields of the SMART log by the labels of smartctl and
// of all versions of nvme-cli, as plainLabel makes them. The value is a
// number.
func smartLabels() map[string]string {
	return map[string]string{
		"critical warning":                         "critical_warning",
		"available spare":                          "available_spare_percent",
		"available spare threshold":                "available_spare_threshold_percent",
		"percentage used":                          "percentage_used_percent",
		"endurance group critical warning summary": "endurance_group_critical_warning",
		"data units read":                          "data_units_read",
		"data units written":                       "data_units_written",
		"host read commands":                       "host_read_commands",
		"host write commands":                      "host_write_commands",
		"controller busy time":                     "controller_busy_minutes",
		"power cycles":                             "power_cycles",
		"power on hours":                           "power_on_hours",
		"unsafe shutdowns":                         "unsafe_shutdowns",
		"media and data integrity errors":          "media_errors",
		"media errors":                             "media_errors",
		"error information log entries":            "error_log_entries",
		"num err log entries":                      "error_log_entries",
		"warning comp. temperature time":           "warning_temperature_minutes",
		"critical comp. temperature time":          "critical_temperature_minutes",
		"warning temperature time":                 "warning_temperature_minutes",
		"critical composite temperature time":      "critical_temperature_minutes",
		"thermal temp. 1 transition count":         "tmt1_transitions",
		"thermal temp. 2 transition count":         "tmt2_transitions",
		"thermal temp. 1 total time":               "tmt1_seconds",
		"thermal temp. 2 total time":               "tmt2_seconds",
		"thermal management t1 trans count":        "tmt1_transitions",
		"thermal management t2 trans count":        "tmt2_transitions",
		"thermal management t1 total time":         "tmt1_seconds",
		"thermal management t2 total time":         "tmt2_seconds",
	}
}

const (
	temperatureField = "composite_temperature_kelvin"
	sensorsField     = "temperature_sensors_kelvin"
)

// smartReader reads lines of a SMART log.
type smartReader struct {
	log    *nvme.SMARTLog
	page   *page
	labels map[string]string
	// misfits are sentences on sizes in brackets that do not fit.
	misfits []string
}

func newSMARTReader(number int) *smartReader {
	l := new(nvme.SMARTLog)
	return &smartReader{log: l, page: newPage(l, number), labels: smartLabels()}
}

var sensorLabel = lazyregexp.New(`^temperature sensor ([1-8])$`)

// line takes a line. Lines of other things are left out.
func (r *smartReader) line(text string) error {
	label, value, ok := cutLabel(text)
	if !ok {
		return nil
	}
	label = plainLabel(label)
	r.checkSize(r.labels[label], label, value)
	if m := sensorLabel.FindStringSubmatch(label); m != nil {
		return r.sensor(int(m[1][0]-'1'), value)
	}
	if label == "temperature" {
		return setKelvin(r.page, temperatureField, value)
	}
	if key, ok := r.labels[label]; ok {
		return setLabelled(r.page, key, value)
	}
	return nil
}

// sensor sets a sensor. Early versions of nvme-cli print sensors that do not
// exist as 0 C.
func (r *smartReader) sensor(i int, value string) error {
	n, err := parseKelvin(value)
	if err != nil {
		return fmt.Errorf("%s: %q: %w", sensorsField, value, err)
	}
	if value == "0 C" {
		n.Lo = 0
	}
	r.log.TemperatureSensors[i] = nvme.Kelvin(n.Lo)
	r.page.mark(exact, sensorsField)
	return nil
}

func setKelvin(p *page, key, value string) error {
	n, err := parseKelvin(value)
	if err != nil {
		return fmt.Errorf("%s: %q: %w", key, printable(value), err)
	}
	return p.setNumber(key, n)
}

func setLabelled(p *page, key, value string) error {
	n, err := parseNumber(value)
	if err != nil {
		return fmt.Errorf("%s: %q: %w", key, printable(value), err)
	}
	return p.setNumber(key, n)
}

// nvmeSMART reads "nvme smart-log".
func (s *scanner) nvmeSMART(lines []line) error {
	const tool = nvmeTool + " smart-log"
	r := newSMARTReader(lines[0].number)
	for _, l := range lines {
		if strings.HasPrefix(l.text, " ") {
			continue // Bits of critical_warning, with -H.
		}
		if err := r.line(l.text); err != nil {
			return fault(tool, l.number, err)
		}
	}
	if r.page.knows("error_log_entries") && s.cut == 0 {
		r.page.markAbsent(sensorsField) // Those of 0 K are left out.
	}
	return s.addSMART(tool, lines[0].number, deviceIn(lines[0].text), r.page, r.misfits...)
}

func (s *scanner) addSMART(tool string, number int, device string, p *page, notes ...string) error {
	if len(p.known) == 0 {
		s.useless(tool, number, "no values")
		return nil
	}
	d := &Drive{smart: p, Host: Host{Device: device}, Notes: notes}
	return s.add(part{tool: nvmeTool, line: number, drive: d, single: true})
}

var deviceName = lazyregexp.New(`device:([A-Za-z0-9_/]{1,64})`)

// deviceIn returns the device in the heading of nvme-cli, "" if there is none.
func deviceIn(text string) string {
	if m := deviceName.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// nvmeSMARTKeys gives the fields of the SMART log by their JSON keys in
// nvme-cli. Temperatures are in kelvins.
func nvmeSMARTKeys() map[string]string {
	return map[string]string{
		"critical_warning":                       "critical_warning",
		"temperature":                            temperatureField,
		"avail_spare":                            "available_spare_percent",
		"spare_thresh":                           "available_spare_threshold_percent",
		"percent_used":                           "percentage_used_percent",
		"endurance_grp_critical_warning_summary": "endurance_group_critical_warning",
		"data_units_read":                        "data_units_read",
		"data_units_written":                     "data_units_written",
		"host_read_commands":                     "host_read_commands",
		"host_write_commands":                    "host_write_commands",
		"controller_busy_time":                   "controller_busy_minutes",
		"power_cycles":                           "power_cycles",
		"power_on_hours":                         "power_on_hours",
		"unsafe_shutdowns":                       "unsafe_shutdowns",
		"media_errors":                           "media_errors",
		"num_err_log_entries":                    "error_log_entries",
		"warning_temp_time":                      "warning_temperature_minutes",
		"critical_comp_time":                     "critical_temperature_minutes",
		"thm_temp1_trans_count":                  "tmt1_transitions",
		"thm_temp2_trans_count":                  "tmt2_transitions",
		"thm_temp1_total_time":                   "tmt1_seconds",
		"thm_temp2_total_time":                   "tmt2_seconds",
	}
}

// nvmeSMARTJSON reads "nvme smart-log -o json".
func (s *scanner) nvmeSMARTJSON(n *node) error {
	const tool = nvmeTool + " smart-log JSON"
	l := new(nvme.SMARTLog)
	p := newPage(l, n.line)
	if err := setKeys(p, n, nvmeSMARTKeys()); err != nil {
		return fault(tool, n.line, err)
	}
	for i := range l.TemperatureSensors {
		v := n.get(fmt.Sprintf("temperature_sensor_%d", i+1))
		k, _, err := v.number()
		if err != nil || k.Hi != 0 || k.Lo > 0xFFFF {
			return fault(tool, v.line, fmt.Errorf("temperature_sensor_%d: %w", i+1, errNumber))
		}
		l.TemperatureSensors[i] = nvme.Kelvin(k.Lo)
	}
	p.mark(exact, sensorsField)
	return s.addSMART(tool, n.line, "", p)
}

// setKeys sets the fields of p that an object has, by the names that keys
// gives. The error names the line.
func setKeys(p *page, n *node, keys map[string]string) error {
	for _, key := range n.keys {
		field, known := keys[key]
		if !known {
			continue
		}
		v, ok, err := n.fields[key].number()
		if err == nil && ok {
			err = p.setNumber(field, v)
		}
		if err != nil {
			return &ParseError{"JSON", n.fields[key].line, fmt.Errorf("%s: %w", key, err)}
		}
	}
	return nil
}
