package prometheus_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The checker is strict where the format is: HELP and TYPE once and before the
// samples, one block a family, names, labels, escapes, no line twice. Beyond
// that it asks what promtool check metrics asks: counters and only they end in
// _total, every family has a help, units are base units and not shortened.

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// established are names of nvme_metrics that are not in base units.
var established = []string{"nvme_power_on_hours_total"}

type parsed struct {
	family string
	labels map[string]string
	value  float64
}

type checker struct {
	complaints []string
	help, kind map[string]string
	closed     map[string]bool
	seen       map[string]bool
	current    string
	samples    []parsed
}

// check reads a page and returns its samples and what is wrong with it.
func check(text string) ([]parsed, []string) {
	c := &checker{help: map[string]string{}, kind: map[string]string{}, closed: map[string]bool{}, seen: map[string]bool{}}
	if !strings.HasSuffix(text, "\n") {
		c.complain("the last line does not end")
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		c.line(i+1, line)
	}
	for name := range c.kind {
		c.lint(name)
	}
	return c.samples, c.complaints
}

func (c *checker) complain(format string, args ...any) {
	c.complaints = append(c.complaints, fmt.Sprintf(format, args...))
}

func (c *checker) line(n int, line string) {
	if rest, ok := strings.CutPrefix(line, "# "); ok {
		words := strings.SplitN(rest, " ", 3)
		if len(words) != 3 {
			c.complain("line %d: %q is no HELP or TYPE", n, line)
			return
		}
		c.comment(n, words[0], words[1], words[2])
		return
	}
	s, err := sampleOf(line)
	if err != nil {
		c.complain("line %d: %v", n, err)
		return
	}
	if s.family != c.current || c.kind[s.family] == "" {
		c.complain("line %d: %s stands outside of its family", n, s.family)
	}
	key, _, _ := strings.Cut(line, "} ")
	if !strings.Contains(line, "}") {
		key = s.family
	}
	if c.seen[key] {
		c.complain("line %d: %s stands twice", n, key)
	}
	c.seen[key] = true
	c.samples = append(c.samples, s)
}

func (c *checker) comment(n int, what, name, text string) {
	if !metricName.MatchString(name) {
		c.complain("line %d: name %q", n, name)
	}
	switch what {
	case "HELP":
		if _, twice := c.help[name]; twice || c.closed[name] {
			c.complain("line %d: HELP of %s stands twice", n, name)
		}
		c.closed[c.current], c.current, c.help[name] = true, name, text
	case "TYPE":
		if c.kind[name] != "" || name != c.current {
			c.complain("line %d: TYPE of %s stands twice or apart", n, name)
		}
		if !slices.Contains([]string{"counter", "gauge"}, text) {
			c.complain("line %d: type %q", n, text)
		}
		c.kind[name] = text
	default:
		c.complain("line %d: %s", n, what)
	}
}

// lint asks what promtool asks of a family.
func (c *checker) lint(name string) {
	if c.help[name] == "" {
		c.complain("%s has no help", name)
	}
	if (c.kind[name] == "counter") != strings.HasSuffix(name, "_total") {
		c.complain("%s: counters and only they end in _total", name)
	}
	if slices.Contains(established, name) {
		return
	}
	bad := []string{"ms", "us", "ns", "sec", "minutes", "hours", "days", "kb", "mb", "gb", "kelvin", "fahrenheit", "percent", "milliseconds", "megabytes", "gts"}
	for _, word := range strings.Split(name, "_") {
		if slices.Contains(bad, word) {
			c.complain("%s: %q is no base unit", name, word)
		}
	}
}

// sampleOf reads "name{label="value",…} value".
func sampleOf(line string) (parsed, error) {
	s := parsed{labels: map[string]string{}}
	i := strings.IndexAny(line, "{ ")
	if i < 0 {
		return s, fmt.Errorf("%q has no value", line)
	}
	s.family = line[:i]
	if !metricName.MatchString(s.family) {
		return s, fmt.Errorf("name %q", s.family)
	}
	rest := line[i:]
	if rest[0] == '{' {
		var err error
		if rest, err = labelsOf(rest[1:], s.labels); err != nil {
			return s, err
		}
	}
	text, ok := strings.CutPrefix(rest, " ")
	if !ok || strings.Contains(text, " ") {
		return s, fmt.Errorf("%q: one value and no time is needed", line)
	}
	v, err := strconv.ParseFloat(text, 64)
	s.value = v
	return s, err
}

func labelsOf(rest string, labels map[string]string) (string, error) {
	for {
		name, after, ok := strings.Cut(rest, `="`)
		if !ok || !labelName.MatchString(name) || strings.HasPrefix(name, "__") {
			return "", fmt.Errorf("label %q", name)
		}
		if _, twice := labels[name]; twice {
			return "", fmt.Errorf("label %s twice", name)
		}
		value, after, err := valueOf(after)
		if err != nil {
			return "", err
		}
		labels[name] = value
		switch {
		case strings.HasPrefix(after, ","):
			rest = after[1:]
		case strings.HasPrefix(after, "}"):
			return after[1:], nil
		default:
			return "", fmt.Errorf("labels end with %q", after)
		}
	}
}

// valueOf reads up to the closing quote; only three escapes are allowed.
func valueOf(s string) (value, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], nil
		case c != '\\':
			b.WriteByte(c)
		case i+1 < len(s) && strings.IndexByte(`\n"`, s[i+1]) >= 0:
			i++
			b.WriteString(map[byte]string{'\\': `\`, 'n': "\n", '"': `"`}[s[i]])
		default:
			return "", "", fmt.Errorf("a wrong escape in %q", s)
		}
	}
	return "", "", fmt.Errorf("%q does not end", s)
}
