// A choice in a figure or table, kept in the address of the page.

import { pick } from "./figure.ts";
import type { Page } from "./page.ts";

interface Option<T extends string> { value: T; text: string }

/** Control is one of some options. Its name must be unlike all others of the page. */
export class Control<T extends string> {
  constructor(private readonly page: Page, private readonly name: string, private readonly options: readonly Option<T>[], private readonly first: T) {}

  /** value is what the reader has chosen, or else the first. */
  get value(): T {
    const kept = this.page.state.choices.controls[this.name];
    return this.options.find((o) => o.value === kept)?.value ?? this.first;
  }

  /** element shows the options, made by pick or its like; null where there is nothing to
   * choose. A choice has the page drawn again. */
  element(label: string, make: (label: string, options: readonly Option<T>[], current: T, choose: (value: T) => void) => HTMLElement = pick): HTMLElement | null {
    if (this.options.length < 2) return null;
    const element = make(label, this.options, this.value, (value) => this.choose(value));
    this.page.onRedraw(() => press(element, this.value));
    return element;
  }

  private choose(value: T): void {
    const { [this.name]: _, ...others } = this.page.state.choices.controls;
    this.page.state.set({ controls: value === this.first ? others : { ...others, [this.name]: value } });
    this.page.redraw();
  }
}

/** press shows the value that an address brings. */
function press(element: HTMLElement, value: string): void {
  const list = element.querySelector("select");
  if (list) list.value = value;
  for (const button of element.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.value === value));
}
