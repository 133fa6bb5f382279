// The figures of the first screen. The first of them draws what the answer speaks of.

import { byFactor, divided, factorName, what, wholeOf } from "./answered.ts";
import { drawBars, type Bar } from "../chart/bars.ts";
import { valueScale } from "../chart/axes.ts";
import { drawChart } from "../chart/chart.ts";
import type { Line } from "../chart/chartdata.ts";
import { colors } from "../chart/palette.ts";
import { available, counts, frameHeight, line, responseFigure, scaleLabel, scales, several, throughputFigure, unnamed } from "./ladder.ts";
import { figure } from "./figure.ts";
import { compact, number, percent, plural, seconds } from "../read/format.ts";
import type { Interval, Reply, ReplyCell, ReplyGroup } from "../read/model.ts";
import { rungs, type Num } from "../read/reading.ts";
import type { Page } from "./page.ts";

/** firstFigures are response time and throughput, and before them what answers where that
 * is neither. */
export function firstFigures(page: Page): HTMLElement[] {
  const answer = page.analysis.answer;
  const byThroughput = answer && (byFactor(page) || answer.kind === "scaling") && !answer.metric;
  const usual = byThroughput ? [throughputFigure(page), responseFigure(page)] : [responseFigure(page), throughputFigure(page)];
  return [answer && byFactor(page) ? answerFigure(page, answer) : null, ...usual].filter((f) => f !== null);
}

/** answerFigure draws an effect at several rungs as lines, unless one of the usual figures
 * does, and everything else as bars. */
function answerFigure(page: Page, answer: Reply): HTMLElement | null {
  if (answer.kind !== "effect" || !several(page)) return barsFigure(page, answer);
  const drawn = answer.metric ? available(page).includes(answer.metric) : !divided(answer);
  return drawn ? null : linesFigure(page, answer);
}

/** of is the figure of a cell that answers. */
function of(answer: Reply, c: ReplyCell): Interval {
  return divided(answer) ? c.per! : c.value;
}

function write(answer: Reply): (v: Num) => string {
  return answer.kind === "fraction" ? percent : answer.metric ? seconds : number;
}

/** unitOf is the unit of the figures, for throughput. */
function unitOf(answer: Reply): string {
  if (answer.kind === "fraction") return "1";
  if (answer.metric) return "s";
  return answer.groups![0]!.cells![0]!.unit + (divided(answer) ? ` per ${answer.per}` : "");
}

function titleOf(page: Page, answer: Reply): string {
  if (answer.kind === "fraction") return shareTitle(answer);
  const unit = answer.metric ? "" : `, ${unitOf(answer)}`;
  return `${what(answer)} by ${factorName(page, answer)}${unit}`;
}

function shareTitle(answer: Reply): string {
  const wholes = new Set((answer.groups ?? []).flatMap((g) => g.cells ?? []).filter((c) => !c.unrated).map(wholeOf));
  return wholes.size === 1 ? `Share of ${[...wholes][0]}` : "Share of what it is held against";
}

/** apart is from how many times another the largest figure of a case is too much for one
 * scale of both. */
const apart = 5;

/** mostBars is how many bars there may be. */
const mostBars = 24;

function barsFigure(page: Page, answer: Reply): HTMLElement | null {
  const groups = (answer.groups ?? []).map((g) => barsOf(page, answer, g)).filter((bars) => bars.length > 0);
  if (groups.length === 0) return null;
  const most = groups.map((bars) => Math.max(...bars.map((b) => b.value)));
  const own = Math.max(...most) > apart * Math.min(...most);
  const shown = groups.filter((_, i) => i === 0 || groups.slice(0, i + 1).flat().length <= mostBars);
  const bars = shown.flat();
  const title = titleOf(page, answer);
  const notes = [
    bars.some((b) => !b.kept) ? "Pale bars miss an objective." : "",
    own ? "Each case has a scale of its own." : "",
    shown.length < groups.length ? `The first ${shown.length} of ${plural(groups.length, "case")}; the table has all.` : "",
  ];
  return figure(page, {
    id: "answer", title, note: notes.filter(Boolean).join(" "),
    draw: (width) => drawBars({
      label: title, unit: unitOf(answer), width, bars, own,
      description: bars.map((b) => `${[b.group, b.label].filter(Boolean).join(", ")}: ${b.text}.`).join(" "),
    }),
  });
}

/** barsOf are the bars of a case, in the colours of its levels or, if it has none, of its
 * variants. */
function barsOf(page: Page, answer: Reply, g: ReplyGroup): Bar[] {
  return (g.cells ?? []).flatMap((c, i): Bar[] => {
    const { value, low, high } = of(answer, c);
    if (c.unrated || !(value! > 0)) return [];
    const at = rungs(page.variant(c.variant)!).find((r) => r.instances === c.rung);
    return [{
      label: c.level, group: g.shared ?? "", color: answer.factor ? `var(--c${i % colors})` : page.look(c.variant).color,
      value: value!, low: low ?? value!, high: high ?? value!, text: write(answer)(value), kept: !at?.objectives?.length || at.kept,
    }];
  });
}

function linesFigure(page: Page, answer: Reply): HTMLElement {
  const groups = answer.groups ?? [];
  const cells = groups.flatMap((g) => g.cells ?? []);
  const title = titleOf(page, answer);
  const scale = scales(page, "answer", valueScale(cells.flatMap((c) => (c.along ?? []).map((at) => at.value.value ?? 0))));
  const lines = () => page.focused().flatMap((v): Line[] => {
    const c = cells.find((c) => c.variant === v.name);
    if (!c) return [];
    const drawn = line(page, v, (r) => c.along?.find((at) => at.rung === r.instances)?.value ?? { value: null, low: null, high: null }, write(answer));
    return [groups.length === 1 ? { ...drawn, label: c.level } : drawn];
  });
  return figure(page, {
    id: "answer", title, controls: [scale.element(scaleLabel)],
    draw: (width) => drawChart({
      label: `${title}, against ${page.noun}s`, xLabel: page.noun + "s",
      description: lines().map((l) => `${l.label}: ${l.dots.map((d) => `${write(answer)(d.value)} at ${d.n}`).join(", ")}.`).join(" "),
      width, height: frameHeight(width), scale: scale.value, unit: unitOf(answer), format: answer.metric ? seconds : compact, write: write(answer),
      counts: counts(page.variants), lines: unnamed(lines()),
    }),
  });
}
