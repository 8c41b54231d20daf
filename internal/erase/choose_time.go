package erase

import (
	"fmt"
	"math"
	"time"

	"qd1.example/qd1/nvme"
)

const (
	shortestTimeout = 30 * time.Minute
	longestTimeout  = 24 * time.Hour
	// mostTimeout is what the kernel's field of 32 bits can hold in whole
	// seconds, which are what the kernel is given.
	mostTimeout = math.MaxUint32 / 1000 * time.Second
	// timeoutAsked is the source of a time-out that the user chose.
	timeoutAsked = "asked for"
	// assumedWrite is a sequential write speed that about every drive has, 10^6
	// bytes a second.
	assumedWrite = 500
	// notReported is an estimate of the Sanitize Status log that is none.
	notReported = 0xFFFFFFFF
)

// timeout gives each command three times the time that it takes to write the
// whole medium, and at least half an hour: a command whose time-out passes
// makes the kernel reset the controller in the middle of it.
func (c *chooser) timeout(m *Method) error {
	if t := c.request.Timeout; t != 0 {
		if t < time.Second || t > mostTimeout {
			return badRequest("", "a time-out of %v is not between 1 s and %v", t, mostTimeout)
		}
		m.Timeout, m.TimeoutSource = (t + time.Second - 1).Truncate(time.Second), timeoutAsked
		if t < shortestTimeout {
			m.Notes = append(m.Notes, fmt.Sprintf("a time-out of %v is short: when it passes, the kernel resets the controller in the middle of the command", t))
		}
		return nil
	}
	if m.Technique.Sanitizes() {
		m.Timeout, m.TimeoutSource = shortestTimeout, "the least that is given: the command only starts the operation"
		return nil
	}
	whole, source := c.writeAll(c.reach(m.Technique))
	m.Timeout = min(max(shortestTimeout, 3*whole), longestTimeout)
	m.TimeoutSource = "3 times as long as " + source
	switch m.Timeout {
	case shortestTimeout:
		m.TimeoutSource = "the least that is given: writing the whole capacity 3 times would take less"
	case longestTimeout:
		m.TimeoutSource = "the most that is given: writing the whole capacity 3 times would take more"
	}
	return nil
}

// writeAll returns the time to write namespaces once, and what it is computed
// from.
func (c *chooser) writeAll(all []Namespace) (time.Duration, string) {
	rate, why := float64(assumedWrite), "assumed, since the model is not in the drive database"
	if m := c.facts.Model; m != nil && m.RatedSeqWriteMBs > 0 {
		rate, why = m.RatedSeqWriteMBs, "rated for "+m.MarketingName
	}
	source := fmt.Sprintf("writing the whole capacity at %.0f MB/s (%s)", rate, why)
	seconds := min(math.Ceil(float64(bytesOf(all))/(rate*1e6)), longestTimeout.Seconds())
	return time.Duration(seconds) * time.Second, source
}

// estimate says how long it takes.
func (c *chooser) estimate(m *Method) Estimate {
	whole, source := c.writeAll(c.reach(m.Technique))
	switch {
	case m.Technique.Sanitizes():
		return c.sanitizeEstimate(m.Technique)
	case m.Technique == ExitFailure:
		return Estimate{0, time.Second, "it is one command, without work on the medium"}
	case m.Technique == Format:
		return Estimate{time.Second, max(whole, time.Minute), "drives differ: from seconds to " + source}
	case m.Technique == FormatCrypto:
		return Estimate{time.Second, time.Minute, "a change of the key takes seconds"}
	case m.Technique == Overwrite:
		return Estimate{whole, 3 * whole, source + ", up to 3 times that"}
	case c.overwritesMedia():
		return Estimate{whole, (2*whole + time.Minute - 1).Truncate(time.Minute), source + ", up to twice that"}
	}
	return Estimate{5 * time.Second, max(whole, time.Minute), "from seconds, where blocks are erased, to " + source}
}

// overwritesMedia reports whether the medium has no blocks that could be
// erased at once.
func (c *chooser) overwritesMedia() bool {
	return c.facts.Model != nil && c.facts.Model.Media == "3D XPoint"
}

// sanitizeEstimate is that of the drive. That of an overwrite is for 16 passes.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize Status Log
// Page.
func (c *chooser) sanitizeEstimate(t Technique) Estimate {
	const passes = 16
	l := c.facts.Sanitize
	if l == nil {
		return Estimate{Source: "not known: the sanitize log could not be read"}
	}
	seconds, low := map[Technique]uint32{
		SanitizeBlock: l.BlockTime, SanitizeCrypto: l.CryptoTime, SanitizeOverwrite: l.OverwriteTime,
	}[t], time.Duration(1)
	if t == SanitizeOverwrite {
		low = passes
	}
	if seconds == notReported || seconds == 0 {
		return Estimate{Source: "the drive reports no time in its sanitize log"}
	}
	high := time.Duration(seconds) * time.Second
	return Estimate{high / low, high, "the sanitize log of the drive"}
}

// claimFor returns the category that a claim stands for.
func claimFor(t Technique, asked Claim) Claim {
	switch {
	case asked != ClaimDefault:
		return asked
	case !t.Erases():
		return ClaimDefault
	case t.Sanitizes():
		return Purge
	}
	return Clear
}

// claim refuses to claim more than the technique can be, and says who claims.
func (c *chooser) claim(m *Method) error {
	switch {
	case m.Claim != ClaimDefault && m.Claim != Clear && m.Claim != Purge:
		return badRequest("claims: clear, purge", "there is no claim %q", m.Claim)
	case !m.Technique.Erases() && m.Claim != ClaimDefault:
		return badRequest("use the command erase", "%s is not an erase: nothing can be claimed", m.Technique)
	case m.Technique == Overwrite && m.Claim == Purge:
		return badRequest("claim clear", "what the host overwrites are the addressable blocks alone, which is clear at most")
	case !m.Technique.Erases():
		m.Category = "none: this is not an erase"
		return nil
	}
	what := "what a host can read is erased"
	if m.Claim == Purge {
		what = "what no host can read is erased too, by the word of the drive"
	}
	by := "by default, your policy decides (--claim)"
	if c.request.Claim != ClaimDefault {
		by = "by the user"
	}
	m.Category = fmt.Sprintf("%s: %s. The category is named %s; conformance with IEEE 2883 is not claimed", m.Claim, what, by)
	return nil
}

// notes say what the technique is not, and what else it reaches.
func (c *chooser) notes(m *Method) []string {
	var notes []string
	add := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	t, fna, all := m.Technique, c.facts.Controller.FNA, c.facts.Namespaces
	several := len(all) > 1
	add(t == Format, "SES 0 is not an erase: the data may still be there, and can come back")
	add(t == ExitFailure, "nothing is erased: the data that the failed operation left are there again")
	add(several && t.Formats() && fna&nvme.FNAFormatAll != 0, "FNA bit 0: a format is for all namespaces of the drive, whichever is named: %s", list(all))
	add(t == ExitFailure, "nothing is erased: the data that the failed operation left are there again")
	add(several && t.Formats() && t.Erases() && fna&nvme.FNAEraseAll != 0, "FNA bit 1: a secure erase is for all namespaces of the drive, whichever is named: %s", list(all))
	add(t.Sanitizes(), "a sanitize operation is for the whole NVM subsystem: %s", list(all))
	add(t.Sanitizes(), "it cannot be stopped: it goes on after a reset and a loss of power")
	add(t.Formats(), "do not take the power away meanwhile: drives have not come back from a format that was cut off")
	add(t.Cryptographic(), "the data stay on the medium, encrypted: this trusts that the drive encrypted all of them and lost every copy of the key")
	add(t == SanitizeOverwrite || t == Overwrite, "this writes the whole capacity once, %d bytes, which wears the medium", bytesOf(c.reach(t)))
	add(t == Overwrite, "spare and retired areas of the medium are not reached")
	return notes
}
