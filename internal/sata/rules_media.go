package sata

import (
	"fmt"
	"regexp"
)

// Limits of counters from which a drive is to be returned. They are choices.
const (
	manyPending     = 10
	manyReallocated = 100
	manyErrors      = 100
	manyCRC         = 100
)

func rulesMedia() []Rule {
	return []Rule{
		{
			ID: "sata-pending-many", Severity: SeverityReturn,
			Fields:  []string{"health.pending_sectors", "health.offline_uncorrectable_sectors"},
			Text:    "{count} sectors cannot be read and wait to be replaced: the medium fails.",
			Source:  sourceChoice,
			applies: pendingMany,
		},
		{
			ID: "sata-pending", Severity: SeverityNote,
			Fields:  []string{"health.pending_sectors", "health.offline_uncorrectable_sectors"},
			Text:    "Sectors that cannot be read wait to be replaced ({count}). Read again later: a growing number is a reason to return it.",
			Source:  sourceChoice,
			applies: pendingFew,
		},
		{
			ID: "sata-pending-known-defect", Severity: SeverityInfo,
			Fields:  []string{"health.pending_sectors", "identity.model"},
			Text:    "One sector waits to be replaced. The firmware of this model is known to show that for a while without a reason.",
			Source:  "public reports on the Crucial MX500, which counts 1 while it moves data",
			applies: pendingDefect,
		},
		{
			ID: "sata-reallocated-many", Severity: SeverityReturn,
			Fields:  []string{"health.reallocated_sectors", "identity.solid_state"},
			Text:    "{count} sectors of this disk had to be replaced: its surface fails.",
			Source:  sourceChoice,
			applies: reallocatedMany,
		},
		{
			ID: "sata-reallocated", Severity: SeverityNote,
			Fields:  []string{"health.reallocated_sectors"},
			Text:    "Bad sectors or blocks had to be replaced ({count}). Read again later: a growing number is a reason to return it.",
			Source:  sourceChoice,
			applies: reallocatedFew,
		},
		{
			ID: "sata-uncorrectable-many", Severity: SeverityReturn,
			Fields:  []string{"health.uncorrectable_errors"},
			Text:    "The drive has reported {count} errors that it could not correct: data that it could not read.",
			Source:  sourceChoice,
			applies: uncorrectableMany,
		},
		{
			ID: "sata-uncorrectable", Severity: SeverityNote,
			Fields:  []string{"health.uncorrectable_errors"},
			Text:    "The drive has reported errors that it could not correct ({count}): data that it could not read.",
			Source:  sourceChoice,
			applies: uncorrectableFew,
		},
		{
			ID: "sata-media-ok", Severity: SeverityOK,
			Fields:  []string{"health.pending_sectors", "health.reallocated_sectors"},
			Text:    "No bad sector is counted.",
			Source:  sourceAttributes + "; " + sourceStatistics,
			applies: mediaOK,
		},
	}
}

// believed returns the counters of a drive whose pages add up.
func (f *Facts) believed() *Health {
	if f.Health == nil || f.Attributes != nil && !f.Attributes.ChecksumOK {
		return &Health{}
	}
	return f.Health
}

// pending returns the higher of the two counters of unreadable sectors.
func (f *Facts) pending() (count uint64, key string) {
	h := f.believed()
	key = "pending_sectors"
	if h.PendingSectors != nil {
		count = *h.PendingSectors
	}
	if o := h.OfflineUncorrectable; o != nil && *o > count {
		count, key = *o, "offline_uncorrectable_sectors"
	}
	return count, key
}

// counted returns the evidence and the value of a counter.
func counted(key string, n uint64) *hit {
	return found(fmt.Sprintf("health.%s %d", key, n), "{count}", fmt.Sprint(n))
}

func pendingMany(f *Facts) *hit {
	if n, key := f.pending(); n >= manyPending {
		return counted(key, n)
	}
	return nil
}

func pendingFew(f *Facts) *hit {
	if n, key := f.pending(); n > 0 && n < manyPending && pendingDefect(f) == nil {
		return counted(key, n)
	}
	return nil
}

func pendingDefect(f *Facts) *hit {
	n, key := f.pending()
	if n != 1 || key != "pending_sectors" || f.Identity == nil || !regexp.MustCompile(`^(Crucial_)?CT\d+MX500SSD\d`).MatchString(f.Identity.Model) {
		return nil
	}
	return counted(key, n)
}

// solidState reports whether the drive says that it has no rotating media.
func (f *Facts) solidState() bool {
	return f.Identity != nil && f.Identity.SolidState != nil && *f.Identity.SolidState
}

func reallocatedMany(f *Facts) *hit {
	n := f.believed().ReallocatedSectors
	if n == nil || *n < manyReallocated || f.solidState() {
		return nil
	}
	return counted("reallocated_sectors", *n)
}

func reallocatedFew(f *Facts) *hit {
	n := f.believed().ReallocatedSectors
	if n == nil || *n == 0 || reallocatedMany(f) != nil {
		return nil
	}
	return counted("reallocated_sectors", *n)
}

func uncorrectableMany(f *Facts) *hit {
	if n := f.believed().UncorrectableErrors; n != nil && *n >= manyErrors {
		return counted("uncorrectable_errors", *n)
	}
	return nil
}

func uncorrectableFew(f *Facts) *hit {
	if n := f.believed().UncorrectableErrors; n != nil && *n > 0 && *n < manyErrors {
		return counted("uncorrectable_errors", *n)
	}
	return nil
}

func mediaOK(f *Facts) *hit {
	h := f.believed()
	n, _ := f.pending()
	if h.ReallocatedSectors == nil || *h.ReallocatedSectors != 0 || n != 0 {
		return nil
	}
	return found("health.reallocated_sectors 0")
}
