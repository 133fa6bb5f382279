// What the reader has chosen, kept in the address of the page, so that a link
// shows another reader the same: #response?rung=16&variant=ssd&trial=ssd/16/1.
// Before the question mark stands the element that the link leads to.

/** Choices are what the reader has chosen. */
export interface Choices {
  anchor: string; // id of the element that the link leads to, "" for the top
  variants: string[] | null; // in focus; null for those that are at first
  rung: number | null; // where the rung cursor stands
  trials: string[]; // one or two whose time series are shown; none for the page's choice
  hidden: string[]; // lines of the time series that are not drawn
  controls: Record<string, string>; // selected values of the figures' controls
  theme: "" | "light" | "dark"; // "" for the system's
}

/** parse reads choices from the part of an address from "#" on. */
export function parse(hash: string): Choices {
  const text = hash.replace(/^#/, "");
  const at = text.indexOf("?");
  const query = new URLSearchParams(at < 0 ? "" : text.slice(at + 1));
  const rung = Number(query.get("rung") ?? NaN);
  const theme = query.get("theme");
  return {
    anchor: decode(at < 0 ? text : text.slice(0, at)),
    variants: query.has("variant") ? query.getAll("variant").filter((v) => v !== "") : null,
    rung: Number.isFinite(rung) && rung > 0 ? rung : null,
    trials: query.getAll("trial").slice(0, 2),
    hidden: query.getAll("hide"),
    controls: Object.fromEntries(query.getAll("show").map((text) => [text.split(":")[0]!, text.slice(text.indexOf(":") + 1)])),
    theme: theme === "light" || theme === "dark" ? theme : "",
  };
}

/** decode reads the fragment of an address, or leaves it as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** format writes choices as parse reads them, without unset ones. An empty name means no
 * variant in focus. */
export function format(c: Choices): string {
  const query = new URLSearchParams();
  if (c.variants) (c.variants.length ? c.variants : [""]).forEach((v) => query.append("variant", v));
  if (c.rung !== null) query.set("rung", String(c.rung));
  c.trials.forEach((t) => query.append("trial", t));
  c.hidden.forEach((name) => query.append("hide", name));
  Object.entries(c.controls).forEach(([name, value]) => query.append("show", `${name}:${value}`));
  if (c.theme) query.set("theme", c.theme);
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
  const anchor = encodeURIComponent(c.anchor);
  return anchor || text ? "#" + anchor + (text ? "?" + text : "") : "";
}

/** writeDelay lets a browser that limits how often the address may change keep
 * up with a cursor that is moved by keys, in ms. */
const writeDelay = 200;

/** State holds the choices of a page beyond its being built again with new
 * data. */
export class State {
  choices: Choices;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(hash = location.hash) {
    this.choices = parse(hash);
  }

  /** set changes choices, and where a link to them leads. */
  set(change: Partial<Choices>): void {
    this.choices = { ...this.choices, ...change };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), writeDelay);
  }

  /** visit makes a place of the page a step of the history. */
  visit(anchor: string): void {
    this.write();
    this.choices = { ...this.choices, anchor };
    history.pushState(null, "", this.address());
  }

  /** read takes the choices of an address that the reader has entered or gone
   * back to. An address of a place alone keeps all other choices. */
  read(): void {
    const read = parse(location.hash);
    this.choices = location.hash.includes("?") || location.hash === "" ? read : { ...this.choices, anchor: read.anchor };
    this.write();
  }

  private write(): void {
    clearTimeout(this.timer);
    if (format(this.choices) !== location.hash) history.replaceState(null, "", this.address());
  }

  private address(): string {
    return location.pathname + location.search + format(this.choices);
  }
}

