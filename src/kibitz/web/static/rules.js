// Fields for the rules of a game, made from what the server says of them: the few that people
// change are in sight, the others behind "More rules".

import { el } from "./dom.js";
import { gameOf } from "./games/index.js";

/** Gives the fields that people change, the others, and a function that reads what differs from the
 *  usual rules. */
export function rulesFields({ name: game, rules: all }, onChange) {
  const known = gameOf(game);
  const first = known.mainRules;
  const fields = new Map(all.map((rule) => [rule.name, field(game, rule, onChange)]));
  const more = all.filter((rule) => !first.includes(rule.name));
  const main = first.filter((name) => fields.has(name)).map((name) => fields.get(name).element);
  const others = el("details", { class: "more" }, el("summary", {}, "More rules"),
    el("div", { class: "fields" }, more.map((rule) => fields.get(rule.name).element)));
  const typed = (name) => fields.get(name)?.element.querySelector("input");
  typed("players")?.addEventListener("change", () => known.fitRules(typed));
  const rules = () => {
    const said = [...fields].map(([name, one]) => [name, one.read()]);
    return Object.fromEntries(said.filter(([, value]) => value !== undefined));
  };
  return { main, others, rules };
}

function field(game, rule, onChange) {
  const id = `rule-${game}-${rule.name}`;
  const input = rule.kind === "choice" ? choice(id, rule, gameOf(game).choiceWords) : typed(id, rule);
  input.dataset.testid = `rule-${rule.name}`;
  input.addEventListener("input", onChange);
  if (rule.kind === "number") {
    input.addEventListener("change", () => {
      if (input.value !== "") input.value = within(input, rule);
    });
  }
  const [title, words] = gameOf(game).ruleWords[rule.name] ?? [rule.name.replaceAll("_", " "), rule.help];
  const help = el("p", { class: "muted small help", id: `${id}-help` }, words ?? "");
  input.setAttribute("aria-describedby", `${id}-help`);
  return {
    element: el("div", { class: "field" }, el("label", { for: id }, title), input, help),
    read: () => value(input, rule),
  };
}

function choice(id, rule, words) {
  return el("select", { id }, rule.choices.map((one) =>
    el("option", { value: one, selected: one === rule.default }, words[one] ?? one)));
}

function typed(id, rule) {
  if (rule.kind === "number") {
    const range = { min: rule.low, max: rule.high, value: rule.default ?? "" };
    return el("input", { id, type: "number", inputmode: "numeric", ...range });
  }
  return el("input", { id, type: "text", value: text(rule.default), autocomplete: "off", spellcheck: "false" });
}

function text(given) {
  return Array.isArray(given) ? given.join(" ") : String(given ?? "");
}

/** The number that was typed, or the nearest one that the rule allows. */
function within(input, { low, high }) {
  return Math.min(high ?? Infinity, Math.max(low ?? -Infinity, Number(input.value)));
}

/** What was chosen, or undefined if it is the usual. */
function value(input, rule) {
  const said = input.value.trim();
  if (said === text(rule.default) || said === "") return undefined;
  return rule.kind === "number" ? within(input, rule) : said;
}
