package smart

import (
	"fmt"
	"math/big"
	"strings"

	"qd1.example/qd1/nvme"
)

// A drive has the size of its model if it differs by at most 1 in 50: makers
// sell 1000 and 1024 units under one name. One that shows less than 1 in 50
// has lost its state.
const capacityPart = 50

func rulesCapacity() []Rule {
	fields := []string{"namespaces.size_bytes", "identify_controller.tnvmcap", "model.capacity_bytes"}
	source := "drive database; sizes in " + sourceFleet
	return []Rule{
		{
			ID: "capacity-larger", Axis: AxisPlausibility, Severity: SeverityReturn, Fields: fields, Source: source,
			Text:    "The drive claims {size} GB, more than its model has ({model} GB): what is written past the true size is lost.",
			applies: capacityIs(func(size, model int64) bool { return size > model+model/capacityPart }),
		},
		{
			ID: "capacity-lost", Axis: AxisPlausibility, Severity: SeverityReturn, Fields: fields,
			Text:    "The drive shows {size} GB of the {model} GB of its model: it has lost its firmware state.",
			Source:  source + "; PM983 with ERRORMOD and DC1500M in ROM mode show 1 GB",
			applies: capacityLost,
		},
		{
			ID: "capacity-smaller", Axis: AxisPlausibility, Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "The drive shows {size} GB of the {model} GB of its model: an owner made it smaller, or it is another model.",
			applies: capacitySmaller,
		},
		{
			ID: "capacity-ok", Axis: AxisPlausibility, Severity: SeverityOK, Fields: fields, Source: source,
			Text: "The drive has the size of its model ({size} GB).",
			applies: capacityIs(func(size, model int64) bool {
				return size >= model-model/capacityPart && size <= model+model/capacityPart
			}),
		},
	}
}

// capacityIs makes a rule that compares the size with the model's.
func capacityIs(is func(size, model int64) bool) func(*Facts) *hit {
	return func(f *Facts) *hit {
		size := f.capacity()
		if size <= 0 || f.Model == nil || f.Model.CapacityBytes <= 0 || !is(size, f.Model.CapacityBytes) {
			return nil
		}
		return found(fmt.Sprintf("capacity %d bytes, model %d bytes", size, f.Model.CapacityBytes),
			"{size}", gigabytes(size), "{model}", gigabytes(f.Model.CapacityBytes))
	}
}

// mayShrink reports whether an owner can delete namespaces of the drive, or it
// is not known.
func mayShrink(f *Facts) bool {
	return !f.knows("identify_controller.oacs") || f.Controller != nil && f.Controller.OACS&nvme.OACSNamespaceManagement != 0
}

func capacityLost(f *Facts) *hit {
	if mayShrink(f) {
		return nil
	}
	return capacityIs(func(size, model int64) bool { return size < model/capacityPart })(f)
}

func capacitySmaller(f *Facts) *hit {
	if capacityLost(f) != nil {
		return nil
	}
	return capacityIs(func(size, model int64) bool { return size < model-model/capacityPart })(f)
}

// gigabytes writes bytes in units of 10^9 without decimals, and with two below
// ten.
func gigabytes(bytes int64) string {
	decimals := 0
	if bytes < 1e10 {
		decimals = 2
	}
	whole, fraction, _ := strings.Cut(big.NewRat(bytes, 1e9).FloatString(decimals), ".")
	return strings.TrimSuffix(group(whole)+"."+fraction, ".")
}
