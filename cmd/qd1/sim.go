package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sim/nvmetcp"
	"qd1.example/qd1/nvme"
)

func simCommand() command {
	return command{
		name: "sim", short: "simulated drives", access: none,
		subs: func() []command { return []command{simServeCommand(), simFirmwareCommand()} },
	}
}

// maxServed is how many drives one server may have.
const maxServed = 64

func simServeCommand() command {
	return command{
		name: "serve", args: "PROFILE...", access: none, maxArgs: maxServed,
		short: "serve simulated drives over NVMe/TCP, so that the kernel makes them /dev/nvmeX",
		help: `PROFILE is the name of a simulated drive, with its parameters, as after
sim:. Each one is a subsystem of its own. The Linux modules nvme-fabrics and
nvme-tcp make it a device; for each drive the command to connect is shown.
Serves until Ctrl-C. There is no authentication: whoever reaches the address
can use the drives.`,
		flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:4420", Usage: "`ADDRESS:PORT` to listen on; port 0 takes a free one"},
			&cli.StringSliceFlag{Name: "profile-from", Usage: "serve the drive of a `CAPTURE` (qd1 capture) too; may be given several times"},
			&cli.StringFlag{Name: "faults", Usage: "let all drives follow the fault script `FILE`; the parameter faults= does so for one"},
			&cli.StringFlag{Name: "log", Usage: "write every command that a host sends to `FILE`, one JSON object a line"},
			&cli.BoolFlag{Name: "insecure-listen", DisableDefaultText: true, Usage: "allow an address that other computers can reach"},
		},
		run: runSimServe,
	}
}

func runSimServe(in *invocation) error {
	captures := in.StringSlice("profile-from")
	if in.NArg() == 0 && len(captures) == 0 {
		return usagef("qd1 sim serve needs a profile: %s; or --profile-from CAPTURE", profileNames())
	}
	address, err := listenAddress(in.String("listen"), in.Bool("insecure-listen"))
	if err != nil {
		return err
	}
	drives, err := openServed(in.Args().Slice(), captures, in.String("faults"))
	defer closeServed(drives)
	if err != nil {
		return err
	}
	log, err := openCommandLog(in.String("log"), drives, time.Now)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return failf("another program may have the port; --listen takes another one", "%w", err)
	}
	in.announce(l.Addr(), drives)
	err = nvmetcp.Serve(in.Context.Context, l, subsystems(drives), nvmetcp.Options{Trace: log.tracer()})
	return errors.Join(err, log.close())
}

// listenAddress checks that only this computer can reach an address, unless
// that is not asked for.
func listenAddress(text string, insecure bool) (string, error) {
	address, err := net.ResolveTCPAddr("tcp", text)
	if err != nil {
		return "", usagef("--listen %s: an address such as 127.0.0.1:4420 is needed", text)
	}
	if !insecure && !address.IP.IsLoopback() {
		return "", usagef("--listen %s: other computers could use the drives; add --insecure-listen if they shall", text)
	}
	return address.String(), nil
}

// servedPrefix begins the names of the subsystems that sim serve has, by which
// a report on one, made through the kernel, knows that it is simulated.
const servedPrefix = "nqn.2026-01.example.qd1:sim:"

// served is a simulated drive as the server sees it.
type served struct {
	*sim.Drive
	profile, nqn string
}

// openServed opens the drives of all profiles and captures. Their names
// differ, also where the profiles do not. What is open is returned beside an
// error.
func openServed(profiles, captures []string, faults string) ([]served, error) {
	var drives []served
	count := make(map[string]int)
	add := func(d *sim.Drive, profile, name string) {
		count[name]++
		nqn := servedPrefix + name
		if count[name] > 1 {
			nqn += fmt.Sprintf("-%d", count[name])
		}
		drives = append(drives, served{Drive: d, profile: profile, nqn: nqn})
	}
	for _, p := range profiles {
		p = withFaults(strings.TrimPrefix(p, "sim:"), faults)
		d, err := sim.Open(p)
		if err != nil {
			return drives, &exitError{status: exitUsage, err: err, hint: "the profiles are " + profileNames()}
		}
		name, _, _ := strings.Cut(p, "?")
		add(d, p, name)
	}
	for _, file := range captures {
		d, err := captureDrive(file, faults)
		if err != nil {
			return drives, err
		}
		add(d, file, "capture")
	}
	return drives, nil
}

// captureDrive brings the drive of a capture to life.
func captureDrive(file, faults string) (*sim.Drive, error) {
	c, err := readCapture(file)
	if err != nil {
		return nil, err
	}
	d, err := sim.FromPages(sim.PagesOf(context.Background(), c), strings.TrimPrefix(withFaults("", faults), "?"))
	if err != nil {
		return nil, failf("it needs Identify Controller and Identify Namespace: qd1 capture DRIVE FILE records them", "%s: %w", file, err)
	}
	return d, nil
}

// withFaults adds a fault script to a profile, if there is one.
func withFaults(profile, file string) string {
	switch {
	case file == "":
		return profile
	case strings.Contains(profile, "?"):
		return profile + "&faults=" + url.QueryEscape(file)
	}
	return profile + "?faults=" + url.QueryEscape(file)
}

func closeServed(drives []served) {
	for _, d := range drives {
		d.Close()
	}
}

func subsystems(drives []served) []nvmetcp.Subsystem {
	var list []nvmetcp.Subsystem
	for _, d := range drives {
		list = append(list, nvmetcp.Subsystem{NQN: d.nqn, Drive: d})
	}
	return list
}

func profileNames() string {
	var names []string
	for _, p := range sim.Profiles() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// announce tells what is served and how to connect to it.
func (in *invocation) announce(address net.Addr, drives []served) {
	host, port, err := net.SplitHostPort(address.String())
	if err != nil {
		host = address.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "ADDRESS" // any of this computer
	}
	for _, d := range drives {
		in.env.say("SIMULATED %s: nvme connect -t tcp -a %s -s %s -n %s", d.profile, host, port, d.nqn)
	}
	in.env.say("serving %d simulated drives on %s; Ctrl-C ends it", len(drives), address)
}

// Submit answers a command. Where the drive drops the connection, the server
// has to.
func (d served) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	c, err := d.Drive.Submit(ctx, cmd)
	if errors.Is(err, sim.ErrDisconnect) {
		err = fmt.Errorf("%w: %w", nvmetcp.ErrDisconnect, err)
	}
	return c, err
}

// Schedule begins a command whose answer the server keeps until it is due.
func (d served) Schedule(cmd *nvme.Command) (c nvme.Completion, ready time.Time, ok bool) {
	if d.Scripted() {
		return c, ready, false
	}
	c, ready = d.Begin(cmd)
	return c, ready, true
}
