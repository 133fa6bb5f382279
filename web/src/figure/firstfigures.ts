// The figures of the first screen. The first of them draws what the answer speaks of.

import { drawBars, type Bar } from "../chart/bars.ts";
import { valueScale } from "../chart/axes.ts";
import { drawChart } from "../chart/chart.ts";
import type { Line } from "../chart/chartdata.ts";
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
  const byThroughput = answer && (page.decision.by_factor || answer.kind === "scaling") && !answer.metric;
  const usual = byThroughput ? [throughputFigure(page), responseFigure(page)] : [responseFigure(page), throughputFigure(page)];
  const first = answer && page.decision.by_factor ? answerFigure(page, answer) : null;
  const same = first && byThroughput && !several(page) && !page.decision.figure!.divided && answer.kind !== "fraction";
  return [first, ...usual.slice(same ? 1 : 0)].filter((f) => f !== null);
}

/** answerFigure draws an effect at several rungs as lines, unless one of the usual figures
 * does, and everything else as bars. */
function answerFigure(page: Page, answer: Reply): HTMLElement | null {
  if (answer.kind !== "effect" || !several(page)) return barsFigure(page, answer);
  const drawn = answer.metric ? available(page).includes(answer.metric) : !page.decision.figure!.divided;
  return drawn ? null : linesFigure(page, answer);
}

/** of is the figure of a cell that answers. */
function of(page: Page, c: ReplyCell): Interval {
  return page.decision.figure!.divided ? c.per! : c.value;
}

function write(page: Page): (v: Num) => string {
  const { unit } = page.decision.figure!;
  return unit === "1" ? percent : unit === "s" ? seconds : number;
}

/** apart is from how many times another the largest figure of a case is too much for one
 * scale of both. */
const apart = 5;

/** mostBars is how many bars there may be. */
const mostBars = 24;

function barsFigure(page: Page, answer: Reply): HTMLElement | null {
  const groups = (answer.groups ?? []).map((g) => barsOf(page, g)).filter((bars) => bars.length > 0);
  if (groups.length === 0) return null;
  const most = groups.map((bars) => Math.max(...bars.map((b) => b.value)));
  const own = Math.max(...most) > apart * Math.min(...most);
  const shown = groups.filter((_, i) => i === 0 || groups.slice(0, i + 1).flat().length <= mostBars);
  const bars = shown.flat();
  const title = page.decision.figure!.title;
  const notes = [
    bars.some((b) => !b.kept) ? "Pale bars miss an objective." : "",
    own ? "Each case has a scale of its own." : "",
    shown.length < groups.length ? `The first ${shown.length} of ${plural(groups.length, "case")}; the table has all.` : "",
  ];
  return figure(page, {
    id: "answer", title, note: notes.filter(Boolean).join(" "),
    draw: (width) => drawBars({
      label: title, unit: page.decision.figure!.unit, width, bars, own,
      description: bars.map((b) => `${[b.group, b.label].filter(Boolean).join(", ")}: ${b.text}.`).join(" "),
    }),
  });
}

/** barsOf are the bars of a case, in the colours of its variants. */
function barsOf(page: Page, g: ReplyGroup): Bar[] {
  return (g.cells ?? []).flatMap((c): Bar[] => {
    const { value, low, high } = of(page, c);
    if (c.unrated || !(value! > 0)) return [];
    const at = rungs(page.variant(c.variant)!).find((r) => r.instances === c.rung);
    return [{
      label: c.level, group: g.shared ?? "", color: page.look(c.variant).color,
      value: value!, low: low ?? value!, high: high ?? value!, text: write(page)(value), kept: !at?.objectives?.length || at.kept,
    }];
  });
}

function linesFigure(page: Page, answer: Reply): HTMLElement {
  const groups = answer.groups ?? [];
  const cells = groups.flatMap((g) => g.cells ?? []);
  const title = page.decision.figure!.title;
  const scale = scales(page, "answer", valueScale(cells.flatMap((c) => (c.along ?? []).map((at) => at.value.value ?? 0))));
  const lines = () => page.focused().flatMap((v): Line[] => {
    const c = cells.find((c) => c.variant === v.name);
    if (!c) return [];
    const drawn = line(page, v, (r) => c.along?.find((at) => at.rung === r.instances)?.value ?? { value: null, low: null, high: null }, write(page));
    return [groups.length === 1 ? { ...drawn, label: c.level } : drawn];
  });
  return figure(page, {
    id: "answer", title, controls: [scale.element(scaleLabel)],
    draw: (width) => drawChart({
      label: `${title}, against ${page.noun}s`, xLabel: page.noun + "s",
      description: lines().map((l) => `${l.label}: ${l.dots.map((d) => `${write(page)(d.value)} at ${d.n}`).join(", ")}.`).join(" "),
      width, height: frameHeight(width), scale: scale.value, unit: page.decision.figure!.unit, format: answer.metric ? seconds : compact, write: write(page),
      counts: counts(page.variants), lines: unnamed(lines()),
    }),
  });
}
