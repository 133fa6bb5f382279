// Asks for the token of a server that other machines can reach, or says why it
// does not show a page.

import { h } from "../chart/dom.ts";
import { sentence } from "../read/format.ts";

/** showLogin takes the token from the address, #token=…, or asks for it. The
 * server keeps it in a cookie that no script can read. */
export function showLogin(into: HTMLElement): void {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) {
    history.replaceState(null, "", location.pathname + location.search); // not in the history of the browser
    void login(given);
  }
  const field = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const failure = h("p", { class: "failure", role: "alert" });
  into.append(h("form", {
    class: "login", onsubmit: (event) => {
      event.preventDefault();
      void login(field.value.trim());
    },
  },
    h("h1", {}, "Plimsoll"),
    h("p", {}, "These pages ask for a token. It is in the file that the command named when it started."),
    h("p", {}, h("label", { for: "token" }, "Token"), " ", field, " ", h("button", { type: "submit" }, "Show")),
    failure));
  document.documentElement.dataset["ready"] = "yes";

  async function login(token: string): Promise<void> {
    const answer = await fetch("/login", { method: "POST", headers: { Authorization: `Bearer ${token}` } }).catch(() => null);
    if (answer?.ok) location.reload();
    else failure.textContent = answer ? await answer.text() : "The server does not answer.";
  }
}

/** showFailure says why a page could not be made. */
export function showFailure(into: HTMLElement, failure: string): void {
  into.append(h("div", { class: "login" }, h("h1", {}, "This page cannot be shown"), h("p", {}, sentence(failure)), h("p", {}, h("a", { href: "/" }, "All runs"))));
  document.documentElement.dataset["ready"] = "yes";
}
