// Links within the page: they lead to where they point although figures and
// time series above are drawn later.

/** lead is the room above what a link leads to, in px; a row of a table keeps
 * the table's head in sight. */
const lead = 12;

/** settled is how long nothing above may have moved before the page is left to
 * the reader, in ms. */
const settled = 400;

/** Landing brings the page to an element and holds it there until everything is
 * drawn or the reader scrolls. */
export class Landing {
  private anchor = "";
  private done = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** prepare runs the deferred work. */
  constructor(private readonly main: HTMLElement, private readonly prepare: () => void, signal: AbortSignal) {
    const moved = new ResizeObserver(() => this.hold());
    moved.observe(main);
    signal.addEventListener("abort", () => moved.disconnect());
    for (const act of ["wheel", "touchmove", "keydown", "pointerdown"]) {
      addEventListener(act, () => this.release(), { signal, passive: true, capture: true });
    }
  }

  /** go leads to the element of that id. */
  go(anchor: string): void {
    this.anchor = anchor;
    this.prepare();
    document.querySelectorAll(".target").forEach((e) => e.classList.remove("target"));
    const target = document.getElementById(anchor);
    if (target) {
      for (let e: Element | null = target; e; e = e.parentElement) if (e instanceof HTMLDetailsElement) e.open = true;
      target.classList.add("target");
    }
    this.hold();
  }

  /** finish says that the page is complete: what moves after a while more is
   * the reader's doing. */
  finish(): void {
    this.done = true;
    if (this.anchor) this.go(this.anchor);
  }

  private hold(): void {
    const target = this.anchor ? document.getElementById(this.anchor) : null;
    if (!target) return;
    scrollToTop(target, this.main);
    clearTimeout(this.timer);
    if (this.done) this.timer = setTimeout(() => this.release(), settled);
  }

  private release(): void {
    this.anchor = "";
  }
}

/** scrollToTop scrolls the page and, for a row of a long table, its box. */
function scrollToTop(target: HTMLElement, main: HTMLElement): void {
  const box = target.closest<HTMLElement>(".tall");
  const head = box?.querySelector("thead")?.getBoundingClientRect().height ?? 0;
  if (box) box.scrollTop += target.getBoundingClientRect().top - box.getBoundingClientRect().top - head;
  const top = main.ownerDocument.scrollingElement!.scrollTop + target.getBoundingClientRect().top;
  scrollTo({ top: top - (box ? Math.max(head, lead) : lead), behavior: "instant" });
}
