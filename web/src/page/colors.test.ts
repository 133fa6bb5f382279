import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

const css = readFileSync(join(process.cwd(), "src", "page", "report.css"), "utf8");

/** color reads both sides of a light-dark() variable. */
function color(name: string): { light: string; dark: string } {
  const match = new RegExp(`${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css);
  assert.ok(match, `${name} is not in report.css`);
  return { light: match[1]!, dark: match[2]! };
}

/** luminance as WCAG 2 defines it. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

test("text and lines stand out from the page in both themes", () => {
  const page = color("--page");
  for (const name of ["--ink", "--muted", "--accent", "--good", "--warn", "--bad", ...[0, 1, 2, 3, 4, 5, 6].map((i) => `--c${i}`)]) {
    const c = color(name);
    assert.ok(contrast(c.light, page.light) >= 4.5, `${name} on light: ${contrast(c.light, page.light).toFixed(2)}`);
    assert.ok(contrast(c.dark, page.dark) >= 4.5, `${name} on dark: ${contrast(c.dark, page.dark).toFixed(2)}`);
  }
  for (const name of [0, 1, 2, 3, 4].map((i) => `--p${i}`)) {
    const c = color(name);
    assert.ok(contrast(c.light, page.light) >= 3, `${name} on light: ${contrast(c.light, page.light).toFixed(2)}`);
    assert.ok(contrast(c.dark, page.dark) >= 2.8, `${name} on dark: ${contrast(c.dark, page.dark).toFixed(2)}`);
  }
});

/** seen simulates a colour as deuteranopes and protanopes see it (Viénot,
 * Brettel and Mollon, 1999), in linear light. */
function seen(hex: string, kind: "deutan" | "protan"): number[] {
  const [r, g, b] = [1, 3, 5].map((i) => (parseInt(hex.slice(i, i + 2), 16) / 255) ** 2.2) as [number, number, number];
  return kind === "protan"
    ? [0.11238 * r + 0.88762 * g, 0.11238 * r + 0.88762 * g, 0.00401 * r - 0.00401 * g + b]
    : [0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b];
}

test("the first colours are told apart without red and green", () => {
  for (const theme of ["light", "dark"] as const) for (const kind of ["deutan", "protan"] as const) {
    const all = [0, 1, 2, 3].map((i) => seen(color(`--c${i}`)[theme], kind).map((v) => Math.max(v, 0) ** (1 / 2.2)));
    for (let i = 0; i < all.length; i++) for (let j = i + 1; j < all.length; j++) {
      const distance = Math.hypot(...all[i]!.map((v, k) => v - all[j]![k]!));
      assert.ok(distance > 0.1, `--c${i} and --c${j} (${theme}, ${kind}): ${distance.toFixed(3)}`);
    }
  }
});
