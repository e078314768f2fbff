// Panels that a world brings along: a title and rows of names and values.
import { make } from "./dom";
import type { Panels } from "./messages";

export class OwnPanels {
  private readonly bodies = new Map<string, HTMLTableSectionElement>();

  constructor(private readonly place: HTMLElement) {}

  show(told: Panels): void {
    for (const { title, rows } of told.panels) {
      let body = this.bodies.get(title);
      if (!body) {
        body = make("tbody");
        this.bodies.set(title, body);
        const box = make("details", { class: "panel own", open: true }, make("summary", {}, title), make("table", {}, body));
        this.place.prepend(box);
      }
      body.replaceChildren(
        ...rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value))),
      );
    }
  }
}
