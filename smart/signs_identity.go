package smart

import (
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
)

// signsOfIdentity compare what a drive says of itself with what drives of that
// name are.
func signsOfIdentity() []func(*Facts) *Sign {
	return []func(*Facts) *Sign{
		foreignController, otherVendor, knownForgery, foreignFirmware, otherOUI, otherThreshold, slowerInterface, placeholderSerial,
	}
}

// maker builds the controllers of its own drives.
type maker struct {
	name    string
	model   *lazyregexp.Regexp
	vendors []uint16 // PCI Vendor IDs
}

var makers = []maker{
	{"Samsung", lazyregexp.New(`(?i)^(samsung |MZ[A-Z0-9]{5})`), []uint16{0x144D}},
	{"Intel", lazyregexp.New(`^(INTEL |SOLIDIGM |SSDPE)`), []uint16{0x8086, 0x025E}},
	{"Micron", lazyregexp.New(`(?i)^(micron|MTFD)`), []uint16{0x1344}},
	{"WD", lazyregexp.New(`^(WDC? |WD_BLACK|WUS|PC SN\d)`), []uint16{0x15B7, 0x1B96, 0x1C58}},
	{"SK hynix", lazyregexp.New(`(?i)^(sk ?hynix|SHGP|SHPP|[PB]C\d{3} NVMe SK hynix)`), []uint16{0x1C5C}},
	{"Kioxia", lazyregexp.New(`^(KIOXIA )?K(CM|CD|XG)\w`), []uint16{0x1E0F, 0x1179}},
}

// controllerMaker returns the name behind the PCI Vendor ID of a company that
// sells controllers to whoever builds drives, and "".
func controllerMaker(id uint16) string {
	switch id {
	case 0x126F:
		return "Silicon Motion"
	case 0x1E4B:
		return "Maxio"
	case 0x10EC:
		return "Realtek"
	case 0x1987:
		return "Phison"
	case 0x1DBE:
		return "InnoGrit"
	}
	return ""
}

// makerOf returns the maker that the model number claims, nil if it is none of
// those that build their own controllers.
func makerOf(model string) *maker {
	if i := slices.IndexFunc(makers, func(m maker) bool { return m.model.MatchString(model) }); i >= 0 {
		return &makers[i]
	}
	return nil
}

// foreignController is a forgery by itself.
func foreignController(f *Facts) *Sign {
	m, other := makerOf(f.model()), controllerMaker(f.vendorID())
	if m == nil || other == "" || slices.Contains(m.vendors, f.vendorID()) {
		return nil
	}
	s := sign("foreign-controller", 6, 0, fmt.Sprintf("the controller is of %s, and %s builds its own", other, m.name), vendorEvidence(f))
	if f.Model != nil && f.Model.DrivesSeen >= enoughSeen {
		s.FleetDrives = f.Model.DrivesSeen
	}
	return s
}

func vendorEvidence(f *Facts) string {
	return fmt.Sprintf("model %q, vendor_id %04xh", f.model(), f.vendorID())
}

// enoughSeen is the number of drives of a model from which what none of them
// shows is telling.
const enoughSeen = 10

// seldom reports whether less than one in twenty of the drives seen shows the
// value; percent is their share.
func seldom(seen map[string]int, value string) (percent float64, drives int, ok bool) {
	for _, n := range seen {
		drives += n
	}
	if drives < enoughSeen {
		return 0, drives, false
	}
	percent = 100 * float64(seen[value]) / float64(drives)
	return percent, drives, percent < 5
}

func otherVendor(f *Facts) *Sign {
	if f.Model == nil || f.vendorID() == 0 || foreignController(f) != nil {
		return nil
	}
	percent, drives, ok := seldom(f.Model.PCIVendorsSeen, fmt.Sprintf("%04x", f.vendorID()))
	if !ok {
		return nil
	}
	weight := 1 // Brands that buy controllers change them under one name.
	if makerOf(f.model()) != nil {
		weight = 3
	}
	return &Sign{
		ID: "other-vendor", Weight: weight, FleetPercent: &percent, FleetDrives: drives, Evidence: vendorEvidence(f),
		Text: fmt.Sprintf("PCI vendor %04xh is not that of this model (%s of %d drives seen have it)", f.vendorID(), share(percent), drives),
	}
}

// share is a percentage for people.
func share(percent float64) string {
	if percent == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f %%", percent)
}

// forgery is one that was seen.
type forgery struct {
	model, firmware *lazyregexp.Regexp
	vendor          uint16 // 0 for any
}

var forgeries = []forgery{
	{lazyregexp.New(`^KINGSTON SNVS\d+GB$`), lazyregexp.New(`^EDFK9N02$`), 0x10EC},
	{lazyregexp.New(`(?i)^samsung ssd 990 pro`), lazyregexp.New(`^8888888`), 0},
}

func knownForgery(f *Facts) *Sign {
	is := func(x forgery) bool {
		return x.model.MatchString(f.model()) && x.firmware.MatchString(f.firmware()) && (x.vendor == 0 || x.vendor == f.vendorID())
	}
	if !slices.ContainsFunc(forgeries, is) {
		return nil
	}
	return sign("known-forgery", 3, 0, "drives with this model number and firmware are known forgeries", firmwareEvidence(f))
}

// controllerFirmware are forms of revisions of those who sell controllers.
var controllerFirmware = []struct {
	name string
	form *lazyregexp.Regexp
}{
	{"Maxio", lazyregexp.New(`^SN\d{5}$`)},
	{"Realtek", lazyregexp.New(`^(VC0S|V9002s)\w+$`)},
	{"Phison", lazyregexp.New(`^E[0-9A-Z]F\w\w\w?\.\w$`)},
}

func foreignFirmware(f *Facts) *Sign {
	m := makerOf(f.model())
	if m == nil {
		return nil
	}
	for _, x := range controllerFirmware {
		if x.form.MatchString(f.firmware()) {
			return sign("foreign-firmware", 2, 0, fmt.Sprintf("the firmware has the form of %s's, and %s writes its own", x.name, m.name), firmwareEvidence(f))
		}
	}
	return nil
}

// otherOUI leaves out 000000, which 2.5 % of all drives have.
func otherOUI(f *Facts) *Sign {
	if f.Model == nil || f.Controller == nil || f.Controller.IEEE.String() == "000000" {
		return nil
	}
	oui := f.Controller.IEEE.String()
	percent, drives, ok := seldom(f.Model.OUIsSeen, oui)
	if !ok {
		return nil
	}
	return &Sign{
		ID: "other-oui", Weight: 1, FleetPercent: &percent, FleetDrives: drives, Evidence: "ieee " + oui,
		Text: fmt.Sprintf("IEEE OUI %s is not that of this model (%s of %d drives seen have it)", oui, share(percent), drives),
	}
}

func otherThreshold(f *Facts) *Sign {
	if f.Model == nil || f.SMART == nil || !f.knows("available_spare_threshold_percent") {
		return nil
	}
	threshold := fmt.Sprint(f.SMART.AvailableSpareThreshold)
	percent, drives, ok := seldom(f.Model.SpareThresholdsSeen, threshold)
	if !ok {
		return nil
	}
	return &Sign{
		ID: "other-threshold", Weight: 1, FleetPercent: &percent, FleetDrives: drives, Evidence: "available_spare_threshold_percent " + threshold,
		Text: fmt.Sprintf("a spare threshold of %s %% is not that of this model (%s of %d drives seen have it)", threshold, share(percent), drives),
	}
}

// speedOf returns the gigatransfers a second of a generation of PCI Express.
func speedOf(generation int) float64 {
	return map[int]float64{1: 2.5, 2: 5, 3: 8, 4: 16, 5: 32, 6: 64}[generation]
}

// slowerInterface goes by what the drive can do, not by what the link does.
func slowerInterface(f *Facts) *Sign {
	if f.Link == nil || f.Model == nil {
		return nil
	}
	l, weight := f.Link, 0
	if l.DriveGTs > 0 && l.DriveGTs < speedOf(f.Model.PCIeGeneration) {
		weight = weigh(f.Model.Checked("pcie_generation"))
	}
	if l.DriveWidth > 0 && l.DriveWidth < f.Model.PCIeLanes {
		weight = max(weight, weigh(f.Model.Checked("pcie_lanes")))
	}
	if weight == 0 {
		return nil
	}
	return &Sign{
		ID: "slower-interface", Weight: weight, Evidence: fmt.Sprintf("max_speed_gts %g, max_width %d", l.DriveGTs, l.DriveWidth),
		Text: fmt.Sprintf("it can do x%d at %g GT/s, and its model x%d at %g", l.DriveWidth, l.DriveGTs, f.Model.PCIeLanes, speedOf(f.Model.PCIeGeneration)),
	}
}

// weigh gives a figure that could not be checked less weight.
func weigh(checked bool) int {
	if checked {
		return 2
	}
	return 1
}

func placeholderSerial(f *Facts) *Sign {
	if f.Controller == nil || !f.knows("identify_controller.sn") {
		return nil
	}
	serial := unpadded(f.Controller.SerialNumber.String())
	if serial != "" && serial != "1234" && strings.Trim(serial, "0") != "" {
		return nil
	}
	return &Sign{ID: "placeholder-serial", Weight: 2, Text: "its serial number is a placeholder", Evidence: fmt.Sprintf("sn %q", serial)}
}

var nameless = lazyregexp.New(`^(E1[28]S?-\d+(G|TB)-PHISON-SSD-\S+|PCIe SSD|256GB NVMe SSD|\d+(GB|TB) SSD|SSD \d+(GB|TB)|NVME SSD \d+(GB|TB)|NVMe SSD)$`)

func noName(f *Facts) *hit {
	if !nameless.MatchString(f.model()) {
		return nil
	}
	return found(fmt.Sprintf("model %q", f.model()), "{model}", f.model())
}
