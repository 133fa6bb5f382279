// What need not be seen at once: the sections below the first screen, their
// figures and the time series are made after the first paint, a little at a time.

/** slice is for how long the page may be busy at a time, in ms. */
const slice = 25;

/** unpainted is how long to wait for a paint that may never come, in ms. */
const unpainted = 500;

/** Later does tasks in the order in which they come. */
export class Later {
  private readonly tasks: (() => void)[] = [];
  private running: Promise<void> | undefined;

  add(task: () => void): void {
    this.tasks.push(task);
    this.running ??= this.run();
  }

  /** flush does everything now. */
  flush(): void {
    while (this.tasks.length > 0) this.tasks.shift()!();
  }

  /** clear drops the remaining work. */
  clear(): void {
    this.tasks.length = 0;
  }

  /** done is when the page has been painted and nothing is left to do. */
  async done(): Promise<void> {
    await painted();
    await this.running;
  }

  private async run(): Promise<void> {
    await painted();
    while (this.tasks.length > 0) {
      const end = performance.now() + slice;
      while (this.tasks.length > 0 && performance.now() < end) this.tasks.shift()!();
      await pause();
    }
    this.running = undefined;
  }
}

function pause(): Promise<void> {
  return new Promise((go) => setTimeout(go));
}

/** painted is after the next paint; a page that is not seen is not painted. */
function painted(): Promise<void> {
  if (document.visibilityState === "hidden") return pause();
  return new Promise((go) => {
    requestAnimationFrame(() => setTimeout(go));
    setTimeout(go, unpainted);
  });
}
