package chart

// Style is the style sheet of all charts. A page holds it once. Its colours are
// variables, so that a page that changes --ink, --paper, --line and --quiet
// changes the charts with it. The hues are those of M. Okabe, K. Ito, Color
// Universal Design (2008), darkened on white and lightened on black.
const Style = `:root { --s0: #0068a8; --s1: #b84a00; --s2: #00755a; --s3: #8a3f86; --heat: #8a3f86; }
@media (prefers-color-scheme: dark) { :root { --s0: #62b8f0; --s1: #f2a23c; --s2: #3fcfa6; --s3: #e29ad4; --heat: #e29ad4; } }
@media print { :root { --s0: #0068a8; --s1: #b84a00; --s2: #00755a; --s3: #8a3f86; --heat: #8a3f86; } }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: 1.4rem 2rem; margin: .8rem 0; }
.chart { margin: 0; max-width: 29rem; min-width: 0; break-inside: avoid; }
.chart figcaption { font-weight: 600; overflow-wrap: anywhere; }
.chart > svg { display: block; width: 100%; height: auto; margin-top: .3rem; }
.chart .note, .chart .none { margin: .2rem 0 0; color: var(--quiet); font-size: .87em; overflow-wrap: anywhere; }
.chart .none { padding: .8rem 0; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; margin: .2rem 0 0; padding: 0; font-size: .87em; }
.legend li { overflow-wrap: anywhere; min-width: 0; }
.legend svg { width: 28px; height: 12px; margin-right: .4rem; }
.chart text { font: 13px system-ui, sans-serif; fill: var(--ink); }
.chart .tick, .chart .unit { fill: var(--quiet); font-variant-numeric: tabular-nums; }
.chart .label { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
.chart .grid { stroke: var(--line); stroke-width: 1; fill: none; }
.chart .axis { stroke: var(--quiet); stroke-width: 1; fill: none; }
.chart .promise { stroke: var(--ink); stroke-width: 2; fill: none; }
.chart .mark { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 2 3; fill: none; }
.chart .line, .chart .range { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.chart .area { stroke: none; fill-opacity: .16; }
.chart .band { fill: var(--quiet); fill-opacity: .14; }
.chart .median { stroke-width: 3; fill: none; }
.chart .dot { stroke: var(--paper); stroke-width: 1; fill-opacity: .85; }
.chart .thin { stroke-width: 1.4; }
.chart .line.s0, .chart .range.s0, .chart .median.s0 { stroke: var(--s0); }
.chart .line.s1, .chart .range.s1, .chart .median.s1 { stroke: var(--s1); }
.chart .line.s2, .chart .range.s2, .chart .median.s2 { stroke: var(--s2); }
.chart .line.s3, .chart .range.s3, .chart .median.s3 { stroke: var(--s3); }
.chart .line.heat { stroke: var(--heat); stroke-dasharray: 5 3; }
.chart .line.s1 { stroke-dasharray: 7 3; }
.chart .line.s2 { stroke-dasharray: 2 4; }
.chart .line.s3 { stroke-dasharray: 9 3 2 3; }
.chart .line.forecast { stroke-dasharray: 3 5; }
.chart .dot.s0, .chart .area.s0, .chart .bar.s0 { fill: var(--s0); }
.chart .dot.s1, .chart .area.s1, .chart .bar.s1 { fill: var(--s1); }
.chart .dot.s2, .chart .area.s2, .chart .bar.s2 { fill: var(--s2); }
.chart .dot.s3, .chart .area.s3, .chart .bar.s3 { fill: var(--s3); }
`
