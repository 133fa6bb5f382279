// Tiles of several applications: what each number of them scores, who breaks first, what the
// others and more tiles do to each member, and what members do on and off burst.

import { h } from "../chart/dom.ts";
import { section, table } from "./figure.ts";
import { interval, known, number, percent, plural, significant, thousands, time } from "../read/format.ts";
import type { Burst, Interference, Interval, Responses, Tile, TileMember, TileRung } from "../read/model.ts";
import type { Page } from "./page.ts";

/** tiles is the section; there is none without members. */
export function tiles(page: Page): HTMLElement | null {
  const all = page.analysis.tiles ?? [];
  if (!all.some((t) => (t.rungs ?? []).length > 0)) return null;
  return section("tiles", "Tiles",
    h("p", { class: "note" }, "The score of a tile is the geometric mean of its members’ throughput, each relative to a reference tile; that of several is the sum. The gate is kept where every member keeps its objectives."),
    all.map((t) => h("div", { class: "parts" },
      all.length > 1 ? h("h3", {}, t.variant) : null,
      scores(t), references(t), interference(t), costs(t), bursts(t))));
}

/** membersOf are those that were measured at a rung; none where its trials failed. */
const membersOf = (r: TileRung): TileMember[] => r.members ?? [];

function unitOf(t: Tile, member: string): string {
  return t.references?.find((r) => r.member === member)?.unit ?? "";
}

function scores(t: Tile): HTMLElement {
  const rows = (t.rungs ?? []).flatMap((r) => membersOf(r).length === 0
    ? [[thousands(r.tiles), "–", gate(t, r), "failed", "–", "–", "–", "–", "–"]]
    : membersOf(r).map((m, i) => memberRow(t, r, m, i === 0)));
  return table(`Score and gate of ${t.variant}`, ["Tiles", "Score", "<Gate", "<Member", "Throughput", "Of reference", "Mean", "p95", "<Objectives"], rows);
}

function memberRow(t: Tile, r: TileRung, m: TileMember, first: boolean): string[] {
  return [
    first ? thousands(r.tiles) : "", first ? scoreText(r.score) : "", first ? gate(t, r) : "", m.member,
    `${interval(m.throughput, number)} ${unitOf(t, m.member)}`, known(m.relative ?? null, percent), interval(m.mean, time), interval(m.p95, time),
    m.kept ? "kept" : t.first && r.tiles === t.next && t.first.member === m.member && (t.broken ?? []).length > 1 ? "broken, first" : "broken",
  ];
}

function scoreText(score: Interval): string {
  return score.value ? interval(score, (v) => significant(v, 3)) : "–";
}

function gate(t: Tile, r: TileRung): string {
  if (!r.kept) return "broken";
  return r.tiles === t.flat ? "kept, adds nothing" : "kept";
}

function references(t: Tile): HTMLElement | null {
  const all = t.references ?? [];
  const from = all.find((r) => !r.published)?.variant;
  return all.length === 0 ? null : h("p", { class: "note" },
    `Reference tile: ${all.map((r) => `${r.member} ${number(r.throughput)} ${r.unit}${r.published ? " (published)" : ""}`).join(", ")}${from ? `; where it is not published, the average tile of the first rung of ${from}` : ""}.`);
}

function interference(t: Tile): HTMLElement | null {
  const all = t.interference ?? [];
  return all.length === 0 ? null : table(`Response time alone and beside the others on ${t.variant}`,
    ["<Member", "<Tiles", "Mean", "To alone", "To fewest", "p95", "To alone", "To fewest"], all.flatMap(interferenceRows));
}

/** interferenceRows are a member alone, in the fewest tiles, and in the most. */
function interferenceRows(i: Interference): string[][] {
  const toFewest = { mean: i.mean, p95: i.p95 };
  const row = (tiles: string, r: Responses, alone?: Responses, fewest?: Responses) => [
    i.member, tiles, interval(r.mean, time), times(alone?.mean), times(fewest?.mean), interval(r.p95, time), times(alone?.p95), times(fewest?.p95)];
  return [
    ...(i.alone ? [row("alone", i.alone)] : []),
    row(thousands(i.from), i.tile, i.tile_over_alone),
    ...(i.to > i.from ? [row(thousands(i.to), i.top, i.top_over_alone, toFewest)] : []),
  ];
}

/** times writes a factor with its bounds, as far as it is known. */
function times(i?: Interval): string {
  return i?.value ? `× ${interval(i, (v) => significant(v, 3))}` : "–";
}

function costs(t: Tile): HTMLElement | null {
  const all = t.costs ?? [];
  return all.length === 0 ? null : table(`What ${t.bursty} costs the others on ${t.variant}, at ${plural(t.costs_at ?? 0, "tile")}`,
    ["<Member", "Mean on burst", "Off burst", "On to off", "Work on to off"],
    all.map((c) => [c.member, time(c.on), time(c.off), c.blurred ? "p99 too long" : times(c.response), times(c.work)]));
}

function bursts(t: Tile): HTMLElement | null {
  const rows = (t.rungs ?? []).flatMap((r) => membersOf(r).flatMap((m) => m.bursts
    ? [burstRow(t, r, m, "on", m.bursts.on), burstRow(t, r, m, "off", m.bursts.off)] : []));
  return rows.length === 0 ? null : table(`On and off burst on ${t.variant}`, ["Tiles", "<Member", "<Burst", "Of the time", "Throughput", "Mean", "p95", "p99"], rows);
}

function burstRow(t: Tile, r: TileRung, m: TileMember, name: string, b: Burst): string[] {
  return [thousands(r.tiles), m.member, name, percent(b.share), `${number(b.throughput)} ${unitOf(t, m.member)}`, time(b.mean), time(b.percentile?.["p95"] ?? null), time(b.percentile?.["p99"] ?? null)];
}
