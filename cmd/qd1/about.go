package main

import (
	"fmt"
	"io"
	"runtime"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/smart"
)

func versionCommand() command {
	return command{
		name: "version", short: "version of qd1", access: none,
		flags: outputFlags("json"),
		run: func(in *invocation) error {
			format, err := in.format("json")
			if err != nil {
				return err
			}
			t := tool()
			return in.show(format, map[string]string{"schema": "qd1.version/1", "name": t.Name, "version": t.Version, "go": runtime.Version()},
				func(w io.Writer, _ render.Style) error { return writeVersion(w) })
		},
	}
}

func writeVersion(w io.Writer) error {
	t := tool()
	_, err := fmt.Fprintf(w, "%s %s (%s, %s/%s)\n", t.Name, t.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

func rulesCommand() command {
	return command{
		name: "rules", short: "the rules of the verdict, with their sources", access: none,
		flags: textFlags("json"),
		run: func(in *invocation) error {
			format, err := in.format("json")
			if err != nil {
				return err
			}
			rules := smart.Rules()
			return in.show(format, map[string]any{"schema": "qd1.rules/1", "rules": rules},
				func(w io.Writer, s render.Style) error { return render.Rules(w, rules, s) })
		},
	}
}
