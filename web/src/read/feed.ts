// What the live page knows of its run, and the stream that keeps it up to date.

/** Event is an event of the campaign. Times are in ns (stage_left) and s. */
export interface Event {
  event: string; at: string; trial?: string; position?: number; of?: number; text?: string; failed?: boolean;
  share?: number; count?: number; count_of?: number; stage_left?: number; done?: number; phase?: string; throughput?: number; unit?: string; p95?: number; p99?: number; mean?: number;
}

/** Numbered is an event that stays. */
export interface Numbered extends Event { number: number }

/** Point is one second of the load of the running trial. */
export interface Point { number: number; trial: string; at: number; phase: string; throughput: number; p99: number }

/** Update is what changed since the reader's last update. */
export interface Update {
  number: number; whole?: boolean; state: "running" | "stopping" | "stopped" | "finished"; closing?: string; now: Event; left: number;
  trials?: Numbered[]; notes?: Numbered[]; points?: Point[];
  figures: { number: number; trials: number; waits?: boolean; failure?: string };
}

/** Known is all that the page knows. */
export interface Known { latest: Update; trials: Numbered[]; notes: Numbered[]; points: Point[] }

/** merge applies an update to the state. It is idempotent. */
export function merge(known: Known | null, update: Update): Known {
  const before = known && !update.whole ? known : { trials: [], notes: [], points: [] };
  return {
    latest: update,
    trials: joined(before.trials, update.trials),
    notes: joined(before.notes, update.notes),
    points: joined(before.points, update.points).filter((p) => p.trial === update.now.trial).slice(-600),
  };
}

function joined<T extends { number: number }>(before: T[], more: T[] | undefined): T[] {
  const seen = before.at(-1)?.number ?? 0;
  return [...before, ...(more ?? []).filter((one) => one.number > seen)];
}

/** silence is how long a server that lives says nothing at most, in ms, with
 * time to spare. */
const silence = 25_000;

/** retry is how often a stream that broke is opened again, in ms. */
const retry = 3_000;

/** Feed follows the stream. It opens it again whenever it breaks, after sleep
 * too, from where it was. */
export class Feed {
  private source: EventSource | null = null;
  private last = "";
  private heard = Date.now();
  private readonly watch: ReturnType<typeof setInterval>;

  constructor(private readonly take: (update: Update) => void, private readonly lost: (since: number) => void) {
    this.open();
    this.watch = setInterval(() => this.check(), retry);
    for (const event of ["online", "pageshow"]) addEventListener(event, () => this.check());
    document.addEventListener("visibilitychange", () => this.check());
  }

  private open(): void {
    this.source?.close();
    this.source = new EventSource("/events" + (this.last ? "?since=" + encodeURIComponent(this.last) : ""));
    this.source.onmessage = (message) => {
      this.heard = Date.now();
      this.last = message.lastEventId;
      this.take(JSON.parse(message.data as string) as Update);
    };
  }

  /** check opens a stream that is broken, or silent as after a sleep. */
  private check(): void {
    if (!this.source) return;
    const broken = this.source.readyState !== EventSource.OPEN;
    if (broken) this.lost(this.heard);
    if (this.source.readyState === EventSource.CLOSED || Date.now() - this.heard > silence) this.open();
  }

  /** end stops following. */
  end(): void {
    this.source?.close();
    this.source = null;
    clearInterval(this.watch);
  }
}
