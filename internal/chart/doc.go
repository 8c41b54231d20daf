// Package chart draws plain numbers as inline SVG for HTML pages.
//
// A chart is a figure element: its title, a legend where there is a choice, the
// drawing and a note. The drawing has a title and a description for those who do
// not see it, its text is text, and its colours are the variables of [Style],
// so that one drawing suits light, dark and paper. It holds no script and asks
// for nothing from elsewhere.
//
// Two sides differ in more than the colour: in the dash of their line or in the
// shape of their points. The colours are told apart by people who do not see red
// or green.
//
// Numbers that are not finite or beyond 10^100, and on a logarithmic axis those that are not
// positive, are left out. A chart of nothing is a sentence.
package chart
