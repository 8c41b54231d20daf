(() => {
  const faults = [], width = document.documentElement.clientWidth;
  const begin = e => e.textContent.trim().slice(0, 50);
  if (document.documentElement.scrollWidth > width) faults.push("the page is " + document.documentElement.scrollWidth + " pixels wide");
  for (const e of document.querySelectorAll("p, td, th, dd, dt, li, h1, h2, figcaption, caption")) {
    const r = e.getBoundingClientRect();
    if (r.width && (r.right > width + 1 || r.left < -1)) faults.push("outside of the window: " + begin(e));
  }
  // Luminance and contrast: Web Content Accessibility Guidelines 2.1, Relative luminance and Contrast ratio.
  const luminance = colour => {
    const c = colour.match(/[\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  };
  const paper = luminance(getComputedStyle(document.body).backgroundColor);
  const contrast = colour => { const l = luminance(colour); return (Math.max(l, paper) + 0.05) / (Math.min(l, paper) + 0.05); };
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
    const s = getComputedStyle(e), ratio = contrast(e.ownerSVGElement ? s.fill : s.color);
    if (ratio < 4.5) faults.push("contrast " + ratio.toFixed(1) + ": " + begin(e));
  }
  for (const e of document.querySelectorAll(".line, .range, .median, .bar, .dot")) {
    const s = getComputedStyle(e), ratio = contrast(s.stroke !== "none" && !e.matches(".dot, .bar") ? s.stroke : s.fill);
    if (ratio < 3) faults.push("contrast " + ratio.toFixed(1) + " of a " + e.getAttribute("class"));
  }
  for (const drawing of document.querySelectorAll("svg[role=img]")) {
    const name = drawing.querySelector("title").textContent, edge = drawing.getBoundingClientRect();
    const texts = [...drawing.querySelectorAll("text")].filter(e => e.textContent.trim()).map(e => [e.textContent, e.getBoundingClientRect(), parseFloat(getComputedStyle(e).fontSize) * edge.width / 420]);
    texts.forEach(([text, a, size], i) => {
      if (a.left < edge.left - 1 || a.right > edge.right + 1 || a.top < edge.top - 2 || a.bottom > edge.bottom + 2) faults.push(name + ": cut off: " + text);
      if (size < 10) faults.push(name + ": " + size.toFixed(1) + " pixels high: " + text);
      for (const [other, b] of texts.slice(i + 1))
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3) faults.push(name + ": on each other: " + text + ", " + other);
    });
  }
  return faults;
})()
