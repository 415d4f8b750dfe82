// Light or dark: as the system has it, unless it was chosen here.
const root = document.documentElement;
const kept = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
if (kept) root.dataset.theme = kept;

export function turned() {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* it lasts as long as the page */ }
}
