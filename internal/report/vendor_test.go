package report

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/vendor"
)

func fakeRunner(res *bench.Result) bench.Runner {
	return func(context.Context, bench.Spec, bench.Observer) (*bench.Result, error) { return res, nil }
}

// withVendorLogs lets a drive answer pages by their number.
func withVendorLogs(t *testing.T, f *fakeDrive, pages map[nvme.LID]string) *fakeDrive {
	t.Helper()
	data := map[nvme.LID][]byte{}
	for lid, name := range pages {
		b, err := os.ReadFile(filepath.Join("..", "..", "nvme", "vendor", "testdata", name+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		data[lid] = b
	}
	f.before = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		page := data[nvme.LID(cmd.CDW10)]
		if cmd.Opcode != nvme.AdminGetLogPage || page == nil {
			return nvme.Completion{}, nil, false
		}
		copy(cmd.Data, page)
		return nvme.Completion{}, nil, true
	}
	return f
}

func vendorReport(t *testing.T, f *fakeDrive, choice VendorLogChoice) *Report {
	t.Helper()
	return fakeReport(t, f, func(_ *Drive, o *Options) { o.VendorLogs = choice })
}

func outcomes(v *VendorLogs) map[nvme.LID]vendor.Outcome {
	m := map[nvme.LID]vendor.Outcome{}
	for _, p := range v.Pages {
		m[p.LID] = p.Outcome
	}
	return m
}

func TestVendorLogs(t *testing.T) {
	f := withVendorLogs(t, optane(t), map[nvme.LID]string{0xC0: "optane-directory.c0", 0xCA: "intel-p3600.ca", 0xDD: "optane.dd"})
	r := vendorReport(t, f, VendorLogsSafe)
	want := map[nvme.LID]vendor.Outcome{0xC0: vendor.Decoded, 0xCA: vendor.Decoded, 0xC5: vendor.Refused, 0xDD: vendor.Decoded, 0xC1: vendor.Skipped, 0xC2: vendor.Skipped}
	if diff := cmp.Diff(want, outcomes(r.VendorLogs.Data)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a := r.VendorLogs.Data.WriteAmplification; a == nil || a.LID != 0xCA {
		t.Errorf("write amplification %+v", a)
	}
	if r.Footprint.Refused != 1 || len(r.Problems()) != 0 {
		t.Errorf("refused %d, problems %+v", r.Footprint.Refused, r.Problems())
	}
	all := outcomes(vendorReport(t, f, VendorLogsAll).VendorLogs.Data)
	if all[0xC1] != vendor.Refused || all[0xC2] != vendor.Refused {
		t.Errorf("on request: %v", all)
	}
}

// Only drives that have such pages are asked.
func TestVendorLogsNotAsked(t *testing.T) {
	f := optane(t)
	if r := vendorReport(t, f, VendorLogsOff); r.VendorLogs.Data != nil || r.Footprint.Refused != 0 {
		t.Errorf("off: %+v", r.VendorLogs)
	}
	r := fakeReport(t, f, func(d *Drive, o *Options) { o.VendorLogs, d.Host.PCI.VendorID = VendorLogsAll, 0x1234 })
	if r.VendorLogs.Data != nil || r.Footprint.Refused != 0 {
		t.Errorf("the bus names another vendor: %+v", r.VendorLogs)
	}
	delete(f.pages, "ctrl")
	if r := vendorReport(t, f, VendorLogsAll); r.VendorLogs.Data != nil || r.VendorLogs.Problem != nil {
		t.Errorf("a drive that does not say what it is: %+v", r.VendorLogs)
	}
}

func TestVendorLogsProblems(t *testing.T) {
	notRecorded := &Problem{Kind: KindNotRecorded, Text: "not in this capture"}
	for _, test := range []struct {
		name string
		err  error
		kind Kind
	}{
		{"capture", notRecorded, KindNotRecorded},
		{"host", errors.New("boom"), KindHost},
		{"silent", context.DeadlineExceeded, KindTimeout},
	} {
		f := optane(t)
		f.before = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
			return nvme.Completion{}, test.err, cmd.Opcode == nvme.AdminGetLogPage && cmd.CDW10&0xFF >= 0xC0
		}
		r := vendorReport(t, f, VendorLogsSafe)
		if p := r.Problems(); len(p) != 1 || p[0].Section != "vendor logs" || p[0].Kind != test.kind {
			t.Errorf("%s: problems %+v", test.name, p)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	f := optane(t)
	f.before = func(context.Context, *nvme.Command) (nvme.Completion, error, bool) {
		if len(f.sent) == 6 { // The last one before the vendor's pages.
			cancel()
		}
		return nvme.Completion{}, nil, false
	}
	o := fakeOptions()
	o.VendorLogs = VendorLogsSafe
	if r := Collect(ctx, &Drive{Passthru: f, Host: fakeHost()}, o); r.VendorLogs.Problem == nil || r.VendorLogs.Problem.Kind != KindInterrupted {
		t.Errorf("interrupted after %d commands: %+v", len(f.sent), r.VendorLogs)
	}
}
