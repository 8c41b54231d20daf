package chart

import (
	"fmt"
	"html/template"
	"strings"
)

// Caption says what a chart shows.
type Caption struct {
	// Title stands above the drawing and is its name.
	Title string
	// Note is a sentence below it with the figures that matter, "" for none. It
	// also begins the description of the drawing.
	Note string
	// Empty is the sentence that takes the place of a drawing of nothing, "" for
	// a general one.
	Empty string
}

// nothing is the figure of a chart without data.
func (c Caption) nothing() template.HTML {
	text := c.Empty
	if text == "" {
		text = "There is nothing to draw."
	}
	return template.HTML(fmt.Sprintf("<figure class=\"chart\">\n<figcaption>%s</figcaption>\n<p class=\"none\">%s</p>\n</figure>\n", escape(c.Title), escape(text)))
}

// key is one entry of a legend: the classes of a line or of a point, and what it
// stands for.
type key struct {
	class, name string
	dot         bool
}

// figure puts the parts together. The description of the drawing is the note and
// what is told of its parts.
func (c Caption) figure(d *drawing, parts []string, keys ...key) template.HTML {
	desc := strings.TrimSpace(c.Note + " " + told(parts))
	var b strings.Builder
	fmt.Fprintf(&b, "<figure class=\"chart\">\n<figcaption>%s</figcaption>\n", escape(c.Title))
	b.WriteString(legend(keys))
	fmt.Fprintf(&b, "<svg viewBox=\"0 0 %d %s\" role=\"img\" aria-label=\"%s\">\n<title>%s</title>\n<desc>%s</desc>\n",
		width, coordinate(d.height), escape(c.Title), escape(c.Title), escape(desc))
	b.WriteString(d.String())
	b.WriteString("</svg>\n")
	if c.Note != "" {
		fmt.Fprintf(&b, "<p class=\"note\">%s</p>\n", escape(c.Note))
	}
	b.WriteString("</figure>\n")
	return template.HTML(b.String())
}

// legend is a list of samples with names, "" for a chart without a choice.
func legend(keys []key) string {
	if len(keys) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<ul class=\"legend\">\n")
	for _, k := range keys {
		d := &drawing{}
		if k.dot {
			d.dot(k.class, 14, 6)
		} else {
			d.line("line "+k.class, 1, 6, 27, 6)
		}
		fmt.Fprintf(&b, "<li><svg viewBox=\"0 0 28 12\" aria-hidden=\"true\">%s</svg>%s</li>\n", strings.TrimSpace(d.String()), escape(k.name))
	}
	b.WriteString("</ul>\n")
	return b.String()
}
