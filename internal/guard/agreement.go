package guard

import (
	"slices"
	"strings"

	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/lazyregexp"
)

// Agreement is what the user consented to.
type Agreement struct {
	// Serial is the drive as the user wrote it; only the full serial passes.
	Serial string `json:"serial"`
	// PCI is the address, needed where two drives have one serial.
	PCI string `json:"pci,omitempty"`
	// Phrase is what was typed, to be equal to [Case.Phrase]; "" for none.
	Phrase string `json:"phrase,omitempty"`
	// Yes with Model and Bytes takes the place of the phrase in scripts.
	Yes   bool   `json:"yes,omitempty"`
	Model string `json:"model,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
	// Destroy are the kinds of signature that may be destroyed.
	Destroy []signature.Kind `json:"destroy,omitempty"`
}

// Judge returns all checks, with those of the agreement. A nil agreement gives
// them without; what then is missing is not refused but left out.
func (c *Case) Judge(a *Agreement) []Check {
	checks := slices.Clone(c.checks)
	if a == nil {
		if len(c.doubles) > 0 {
			checks = append(checks, c.double(warn(checkOneDrive, "")))
		}
		return checks
	}
	for i := range checks {
		checks[i] = agreed(checks[i], a)
	}
	checks = append(checks, c.judgeSerial(a), c.judgeAddress(a))
	return append(checks, c.judgeConsent(a)...)
}

// agreed turns a consent that was given into a passed check.
func agreed(check Check, a *Agreement) Check {
	if check.Result != Consent {
		return check
	}
	check.Kinds = slices.DeleteFunc(slices.Clone(check.Kinds), func(k signature.Kind) bool { return slices.Contains(a.Destroy, k) })
	if len(check.Kinds) == 0 {
		check.Result, check.Warning, check.Hint, check.Kinds = Pass, true, "", nil
		check.Text += ": to be destroyed, as agreed"
	}
	return check
}

// judgeSerial lets the full serial number pass and nothing else.
func (c *Case) judgeSerial(a *Agreement) Check {
	serial := c.Identity.Serial
	if serial != "" && a.Serial == serial {
		return pass(checkSerial, "the drive was named by its full serial number")
	}
	hint := "name the drive by its full serial number: " + serial
	switch {
	case a.Serial == "":
		return refuse(checkSerial, hint, "the drive was not named")
	case strings.Contains(a.Serial, "/") || kernelName.MatchString(a.Serial):
		return refuse(checkSerial, hint, "%q is the name of a node, which can belong to another drive after a restart: only the full serial number is taken", a.Serial)
	case pciAddress.MatchString(a.Serial):
		return refuse(checkSerial, hint, "%q is the address of a slot, not of a drive: only the full serial number is taken", a.Serial)
	case strings.HasSuffix(serial, a.Serial):
		return refuse(checkSerial, hint, "%q is only the end of the serial number: only the full one is taken", a.Serial)
	}
	return refuse(checkSerial, hint, "%q is not the serial number of the drive", a.Serial)
}

var (
	kernelName = lazyregexp.New(`^(nvme|ng)[0-9]+(c[0-9]+)?(n[0-9]+)?(p[0-9]+)?$`)
	pciAddress = lazyregexp.New(`(?i)^([0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)
)

// judgeAddress asks for the address where the serial number does not tell the
// drive from another one, and never takes a wrong one.
func (c *Case) judgeAddress(a *Agreement) Check {
	own := c.Identity.PCI
	given := strings.ToLower(a.PCI)
	matches := own != "" && (given == own || "0000:"+given == own)
	switch {
	case given != "" && !matches && own == "":
		return refuse(checkOneDrive, "leave the address out", "the drive is not a PCI function, and the address %s was given", a.PCI)
	case given != "" && !matches:
		return refuse(checkOneDrive, "give the address of the drive: --pci "+own, "the drive is at %s, and not at %s", own, a.PCI)
	case len(c.doubles) == 0:
		return pass(checkOneDrive, "no other drive of this computer has the serial number")
	case given == "":
		return c.double(refuse(checkOneDrive, "", ""))
	}
	return c.double(warn(checkOneDrive, ""))
}

// double fills in a check about several drives with one serial number.
func (c *Case) double(check Check) Check {
	check.Text = "other drives have the same serial number: " + and(c.doubles)
	check.Hint = "say which one is meant by its address: --pci " + c.Identity.PCI
	if c.Identity.PCI == "" {
		check.Hint = "take the other drives out of the computer: this one has no PCI address to tell it by"
	}
	return check
}

// judgeConsent checks that somebody agreed: a person by the phrase, a script by
// saying what it expects.
func (c *Case) judgeConsent(a *Agreement) []Check {
	var checks []Check
	switch {
	case a.Phrase != "" && a.Phrase != c.Phrase():
		checks = append(checks, refuse(checkConsent, "type exactly: "+c.Phrase(), "what was typed is not the phrase"))
	case a.Phrase == "" && !a.Yes:
		checks = append(checks, refuse(checkConsent, "run it on a terminal and type the phrase, or give --yes --expect-model --expect-bytes",
			"nobody agreed: the phrase was not typed, and --yes was not given"))
	default:
		checks = append(checks, pass(checkConsent, "it was agreed to"))
	}
	if a.Yes && a.Phrase == "" || a.Model != "" {
		checks = append(checks, c.judgeModel(a))
	}
	if a.Yes && a.Phrase == "" || a.Bytes != 0 {
		checks = append(checks, c.judgeSize(a))
	}
	return checks
}

func (c *Case) judgeModel(a *Agreement) Check {
	hint := "if this is the drive, give --expect-model '" + c.Identity.Model + "'"
	switch a.Model {
	case "":
		return refuse(checkModel, hint, "--yes needs the model number that is expected")
	case c.Identity.Model:
		return pass(checkModel, "the model number is the expected one")
	}
	return refuse(checkModel, hint, "the model number is %q, and %q was expected", c.Identity.Model, a.Model)
}

func (c *Case) judgeSize(a *Agreement) Check {
	hint := "if this is the drive, give --expect-bytes " + decimal(c.Identity.Bytes)
	switch a.Bytes {
	case 0:
		if c.op.KeepsData && len(c.Radius) == 0 {
			return pass(checkSize, "the drive has no namespace whose size could be expected")
		}
		return refuse(checkSize, hint, "--yes needs the size that is expected")
	case c.Identity.Bytes:
		return pass(checkSize, "the size is the expected one")
	}
	return refuse(checkSize, hint, "%s are affected, and %s were expected", bytesText(c.Identity.Bytes), bytesText(a.Bytes))
}
