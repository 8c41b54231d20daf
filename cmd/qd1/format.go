package main

import (
	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/erase"
)

func formatCommand() command {
	return command{
		name: "format", args: "SERIAL", access: destroys, maxArgs: 1,
		short: "send Format NVM: another block size, or the bare erase",
		help: `SERIAL is the full serial number of the drive. --ses 0, the default, is not an
erase: it changes the format, and what lies on the drive may remain. 1 erases
user data, 2 erases by a change of the key. The LBA format and the protection
information stay as they are unless --lbaf and --pi change them.`,
		flags: guardedFlags(append([]cli.Flag{
			&cli.IntFlag{Name: "ses", Aliases: []string{"s"}, Value: 0, Usage: "secure erase `SETTING`: 0 none, 1 user data, 2 cryptographic"},
			&cli.IntFlag{Name: "lbaf", Aliases: []string{"l"}, DefaultText: "as it is", Usage: "change to the LBA format with this `INDEX`"},
			&cli.IntFlag{Name: "pi", Aliases: []string{"i"}, DefaultText: "as it is", Usage: "change to protection information of this `TYPE`, 0 to 3"},
			&cli.StringFlag{Name: "timeout", Aliases: []string{"t"}, DefaultText: "from the capacity", Usage: "`TIME` that the drive gets for the command, such as 45m"},
		}, namespaceFlags()...)),
		run: func(in *invocation) error { return in.runGuarded((*invocation).formatRequest) },
	}
}

// formatRequest is what the flags of the bare command ask for.
func (in *invocation) formatRequest() (erase.Request, error) {
	techniques := []erase.Technique{erase.Format, erase.FormatUserData, erase.FormatCrypto}
	ses := in.Int("ses")
	if ses < 0 || ses >= len(techniques) {
		return erase.Request{}, usagef("--ses %d: 0, 1 or 2 is needed", ses)
	}
	r := erase.Request{Technique: techniques[ses]}
	return r, in.commonRequest(&r)
}

func sanitizeCommand() command {
	return command{
		name: "sanitize", args: "SERIAL", access: destroys, maxArgs: 1,
		short: "send Sanitize: the bare erase of the whole drive, or the way out of its failure mode",
		help: `SERIAL is the full serial number of the drive. Waits until the drive has ended,
and looks at samples of its data. exit-failure lets a drive go on after a
sanitize operation that failed; it erases nothing.`,
		flags: guardedFlags([]cli.Flag{
			&cli.StringFlag{Name: "action", Aliases: []string{"a"}, Usage: "`ACTION`: block, crypto, overwrite, exit-failure"},
			&cli.StringFlag{Name: "timeout", Aliases: []string{"t"}, DefaultText: "30m", Usage: "`TIME` that the drive gets for the command itself"},
		}),
		run: func(in *invocation) error { return in.runGuarded((*invocation).sanitizeRequest) },
	}
}

// sanitizeRequest is what the flags of the bare command ask for.
func (in *invocation) sanitizeRequest() (erase.Request, error) {
	technique, ok := map[string]erase.Technique{
		"block": erase.SanitizeBlock, "crypto": erase.SanitizeCrypto, "overwrite": erase.SanitizeOverwrite, "exit-failure": erase.ExitFailure,
	}[in.String("action")]
	if !ok {
		return erase.Request{}, usagef("--action %s: block, crypto, overwrite or exit-failure is needed", in.String("action"))
	}
	r := erase.Request{Technique: technique, AllNamespaces: true}
	return r, in.readTimeout(&r)
}
