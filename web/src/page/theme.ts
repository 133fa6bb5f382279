// Light and dark, and paper.

import type { Redraws } from "../figure/page.ts";
import type { State } from "../read/state.ts";

/** applyTheme shows the theme that the reader has chosen. */
export function applyTheme(state: State): void {
  const root = document.documentElement;
  if (state.choices.theme) root.dataset["theme"] = state.choices.theme;
  else delete root.dataset["theme"];
}

/** switchTheme turns light into dark and back. */
export function switchTheme(page: Redraws, state: State): void {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const next = (state.choices.theme || system) === "dark" ? "light" : "dark";
  state.set({ theme: next === system ? "" : next });
  applyTheme(state);
  page.redraw();
}

/** watchMedium draws again when the theme changes and around printing: paper
 * is always light, and as wide as report.css says. */
export function watchMedium(page: Redraws): void {
  const signal = page.closed;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.redraw(), { signal });
  let before: string | undefined;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset["theme"];
    document.documentElement.dataset["theme"] = "light";
    document.documentElement.dataset["medium"] = "paper";
    page.redraw();
  }, { signal });
  addEventListener("afterprint", () => {
    if (before) document.documentElement.dataset["theme"] = before;
    else delete document.documentElement.dataset["theme"];
    delete document.documentElement.dataset["medium"];
    page.redraw();
  }, { signal });
}
