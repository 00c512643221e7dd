// What a person with a screen reader, a keyboard or weak eyes would stumble over, as a list of
// sentences; run in the page by the browser tests.
() => {
  const problems = [];
  const shown = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const say = (what, element) => {
    const id = element.dataset?.testid ? `[${element.dataset.testid}]` : "";
    problems.push(`${what}: <${element.tagName.toLowerCase()} ${element.className?.baseVal ?? element.className}>${id} "${(element.textContent || "").trim().slice(0, 40)}"`);
  };
  const labelled = (e) => (e.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const nameOf = (e) => (e.getAttribute("aria-label") || labelled(e) || [...(e.labels ?? [])].map((l) => l.textContent).join(" ")
    || e.getAttribute("alt") || e.getAttribute("title") || (e.matches("input, select, textarea") ? "" : e.textContent)
    || e.querySelector("[aria-label], title")?.textContent || "").trim();

  // names
  for (const e of document.querySelectorAll("button, a[href], input, select, textarea, [role=button], [role=slider], summary")) {
    if (shown(e) && !nameOf(e)) say("no name", e);
  }
  for (const e of document.querySelectorAll("img, [role=img]")) {
    if (shown(e) && !e.closest("[aria-hidden=true]") && !nameOf(e)) say("a picture without words", e);
  }
  for (const e of document.querySelectorAll("dialog[open], [role=dialog], [role=group], nav, [role=region]")) {
    if (shown(e) && !nameOf(e)) say("a region without a name", e);
  }
  // structure
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  ids.filter((id, k) => ids.indexOf(id) !== k).forEach((id) => problems.push(`the id ${id} stands twice`));
  if (!document.documentElement.lang) problems.push("the page has no language");
  if (!document.title) problems.push("the page has no title");
  if (document.querySelectorAll("main").length !== 1) problems.push("there must be one <main>");
  if (!document.querySelector("[aria-live], [role=status]")) problems.push("nothing is announced");
  let level = 0;
  for (const e of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    if (!shown(e)) continue;
    const now = Number(e.tagName[1]);
    if (level && now > level + 1) say(`a heading of level ${now} after one of ${level}`, e);
    level = now;
  }
  for (const e of document.querySelectorAll("[tabindex]")) {
    if (e.tabIndex > 0) say("an order of tabs of its own", e);
  }
  for (const e of document.querySelectorAll("[aria-hidden=true] :is(button, a[href], input, select, [tabindex='0'])")) {
    if (shown(e)) say("hidden from readers, but in the order of tabs", e);
  }
  for (const table of document.querySelectorAll("table")) {
    if (shown(table) && !table.querySelector("th")) say("a table without headers", table);
  }
  // room
  if (document.documentElement.scrollWidth > innerWidth + 1) {
    problems.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}`);
  }
  for (const e of document.querySelectorAll("button, a.button, select, input:not([type=radio]):not([type=checkbox])")) {
    if (!shown(e) || e.closest("[aria-hidden=true]")) continue;
    const { width, height } = e.getBoundingClientRect();
    if (width < 24 || height < 24) say(`too small to hit, ${Math.round(width)} x ${Math.round(height)}`, e);
  }
  // contrast: text against every colour that lies behind it
  const colours = (text) => [...text.matchAll(/(rgba?\(|color\(srgb )([^)]+)\)/g)].map((m) => {
    const [r, g, b, a = 1] = m[2].split(/[ ,/]+/).map(Number);
    const whole = m[1] === "color(srgb " ? 255 : 1; // color-mix() gives shares of one
    return { r: r * whole, g: g * whole, b: b * whole, a };
  });
  const over = (top, under) => ({
    r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a),
    b: top.b * top.a + under.b * (1 - top.a), a: 1,
  });
  const light = ({ r, g, b }) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const ratio = (a, b) => {
    const [hi, lo] = [light(a), light(b)].sort((x, y) => y - x);
    return (hi + 0.05) / (lo + 0.05);
  };
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const image = colours(style.backgroundImage).filter((c) => c.a > 0.95);
      if (image.length) return layers.reduceRight((under, top) => under.map((u) => over(top, u)), image);
      const [plain] = colours(style.backgroundColor);
      if (plain && plain.a > 0) {
        if (plain.a === 1) return layers.reduceRight((under, top) => under.map((u) => over(top, u)), [plain]);
        layers.push(plain);
      }
    }
    return layers.reduceRight((under, top) => under.map((u) => over(top, u)), [{ r: 255, g: 255, b: 255, a: 1 }]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !shown(e) || e.closest("svg, script, style, :disabled, [aria-disabled=true], [aria-hidden=true]")) continue;
    const style = getComputedStyle(e);
    if (e.getBoundingClientRect().width <= 1) continue; // for readers only
    const [ink] = colours(style.color);
    if (!ink) continue;
    let faded = 1;
    for (let at = e; at; at = at.parentElement) faded *= Number(getComputedStyle(at).opacity);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const worst = Math.min(...behind(e).map((ground) => ratio(over({ ...ink, a: ink.a * faded }, ground), ground)));
    if (worst < (large ? 3 : 4.5) - 0.01) say(`contrast ${worst.toFixed(1)}`, e);
  }
  return [...new Set(problems)];
}
