package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestSurface(t *testing.T) {
	c := Surface{Caption: Caption{Title: "Surface", Note: "What was read."}, From: "0 B", To: "960 GB", Cells: []Cell{
		{Level: 0}, {Level: 1}, {Level: 7}, {Level: math.NaN()}, {State: Slow}, {State: Unreadable}, {State: Unreadable}, {State: Silent}, {State: Unknown}, {State: 200},
	}}
	got := string(c.HTML())
	for _, want := range []string{
		`fill-opacity="0.15"`, `fill-opacity="0.90"`, `class="dot s3"`, `class="dot s1"`, `class="dot s2"`, `rect class="grid"`,
		"10 parts from 0 B to 960 GB. 1 slow. 2 unreadable. 1 without an answer.", "What was read.", ">960 GB<",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Count(got, `fill-opacity="0.15"`) != 2 || strings.Contains(got, "NaN") {
		t.Error("a level that is no number is drawn")
	}
}

func TestSurfaceBounds(t *testing.T) {
	if got := string(Surface{Caption: Caption{Empty: "No drive."}}.HTML()); !strings.Contains(got, "No drive.") || strings.Contains(got, "<svg viewBox=\"0 0 420") {
		t.Errorf("without cells:\n%s", got)
	}
	got := string(Surface{Caption: Caption{Title: hostile}, From: hostile, To: hostile, Cells: make([]Cell, 5000)}.HTML())
	if n := strings.Count(got, "bar s0"); n != mostCells {
		t.Errorf("%d cells, want %d", n, mostCells)
	}
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
