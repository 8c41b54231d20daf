// Package page writes results as documents to look at and to pass on: HTML
// pages of one file each, and tables in Markdown.
//
// A page holds everything that it shows. It has no script, asks for nothing from
// elsewhere (a policy in its head forbids both), and reads well in light and dark, on a telephone and on paper. Its
// size is bounded: histograms and series do not grow with the number of
// operations, and lists that could be long say what they leave out.
//
// Pages are in English. What comes from a drive or from a user is text and never
// markup.
package page
