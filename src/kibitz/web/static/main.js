// The way through the pages: lobby, table, review, real table. One connection serves them all.

import { Connection } from "./connection.js";
import { openHelp, openSettings } from "./dialogs.js";
import { BASE, button, el, svg } from "./dom.js";
import { read, write } from "./kept.js";
import { openLobby } from "./lobby.js";
import { openReview } from "./reviewing.js";
import { hush } from "./say.js";
import { Settings } from "./settings.js";
import { openTable } from "./table.js";

const main = document.getElementById("main");
const settings = new Settings();
const connection = new Connection();

/** What every page gets. */
const app = { connection, settings, go, title, visitor: null, saved: [], unreadable: 0, list: null };
let leave = null;
/** Counts the ways taken: a page that is ready only after another was asked for is not shown. */
let routes = 0;
/** The address on show, without its fragment. */
let shown = null;
/** The page could not be opened for want of a line; it is tried again when there is one. */
let stranded = false;

const PATIENCE = 2500;
const WARMING = "Kibitz is getting ready. The first start on a machine takes about a minute.";

function eye() {
  const given = { viewBox: "0 0 34 24", "aria-hidden": "true", fill: "none", stroke: "currentColor", "stroke-width": 2.4 };
  return svg("svg", given,
    svg("path", { d: "M2 12Q17 -4 32 12Q17 28 2 12Z" }),
    svg("circle", { cx: 17, cy: 12, r: 4.6, fill: "currentColor", stroke: "none" }),
  );
}

const where = el("span", { class: "where" });
const lost = el("span", { class: "line-lost", role: "status", hidden: true }, "Reconnecting …");

const settingsButton = button("Settings", () => openSettings(settings), { kind: "ghost", testid: "settings" });

function topbar() {
  const home = el("a", { class: "brand", href: BASE, data: { testid: "home" } }, eye(), "Kibitz");
  const real = el("a", { class: "button ghost", href: `${BASE}real`, data: { testid: "real-link" } }, "Real table");
  document.getElementById("topbar").append(
    home, where, el("span", { class: "space" }), lost, real,
    button("?", openHelp, { kind: "ghost", "aria-label": "Keys and help", testid: "help" }),
    settingsButton,
  );
}

function title(text) {
  where.textContent = text;
  document.title = text ? `${text} · Kibitz` : "Kibitz";
}

function go(path) {
  history.pushState(null, "", path);
  route();
}

/** Where the address leads. A page is opened in two steps: first all that takes time, and that gives a
 *  function which shows it in `main` and returns the way to leave it. */
async function route() {
  const mine = ++routes;
  shown = address();
  leave?.();
  leave = null;
  hush();
  document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
  const [page, name] = location.pathname.slice(BASE.length).split("/");
  const words = el("p", {}, "One moment …");
  const waiting = el("div", { class: "waiting" }, words);
  const warming = setTimeout(() => words.replaceChildren(WARMING), PATIENCE);
  main.replaceChildren(waiting);
  if (mine > 1) main.focus({ preventScroll: true }); // what had the focus may be gone
  window.scrollTo(0, 0);
  settingsButton.hidden = page === ""; // the lobby shows them all
  stranded = false;
  try {
    await hello();
    if (mine !== routes) return;
    const show = await openPage(page, name && decodeURIComponent(name), waiting);
    if (mine === routes) leave = show(main);
  } catch (error) {
    if (mine !== routes) return;
    stranded = error.code === "lost";
    main.replaceChildren(
      el("div", { class: "page" },
        el("p", { class: "notice", role: "alert", data: { testid: "failed" } }, error.message),
        el("p", { class: "waiting" }, el("a", { href: BASE }, "Back to the lobby"))),
    );
  } finally {
    clearTimeout(warming);
  }
}

async function openPage(page, name, waiting) {
  if (page === "table" && name) return openTable(app, name);
  if (page === "review" && name) return openReview(app, name, waiting);
  if (page === "real") {
    title("Real table");
    const { openReal } = await import("./real.js");
    return (place) => openReal(place, connection, app.list);
  }
  return openLobby(app);
}

function address() {
  return location.pathname + location.search;
}

/** Say who we are, and hear what is saved. */
async function hello() {
  const answer = await connection.ask("hello", { visitor: app.visitor ?? read("visitor", null) });
  app.visitor = answer.visitor;
  app.saved = answer.saved ?? [];
  app.unreadable = answer.unreadable ?? 0;
  write("visitor", answer.visitor);
  settings.join(answer.settings, (values) => {
    connection.ask("settings", { visitor: app.visitor, settings: values }).catch(() => {});
  });
  app.list ??= await connection.ask("list");
}

function insideLink(event) {
  const link = event.target.closest?.("a[href]");
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || link.hasAttribute("download") || link.target) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(BASE) || link.hash) return;
  if (link.pathname.startsWith(`${BASE}record/`)) return;
  event.preventDefault();
  go(link.pathname);
}

topbar();
document.addEventListener("click", insideLink);
window.addEventListener("popstate", () => {
  if (address() !== shown) route(); // else only the fragment is new, as by the link that skips the bar
});
connection.onState((state) => {
  lost.hidden = state !== "lost";
  if (state === "open" && stranded) route();
});
route();
