// Runs before the page is drawn, so that it is never first light and then dark.
try {
  const kept = JSON.parse(localStorage.getItem("kibitz.settings") ?? "{}");
  const dark = kept.theme === "dark"
    || (kept.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
} catch {
  // a browser that keeps nothing gets the light page
}
