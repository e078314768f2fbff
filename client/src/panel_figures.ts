// The table of solver figures.
import { make } from "./dom";
import type { Figures } from "./messages";

export class FiguresPanel {
  private readonly body = make("tbody");
  private readonly rows = new Map<string, HTMLTableCellElement>();

  constructor(place: HTMLElement) {
    place.append(
      make("details", { id: "figures", class: "panel" }, make("summary", {}, "Solver"), make("table", {}, this.body)),
    );
  }

  show(figures: Figures): void {
    const names = figures.rows.map(([name]) => name);
    if (names.length !== this.rows.size || names.some((name) => !this.rows.has(name))) {
      this.rows.clear();
      this.body.replaceChildren(
        ...names.map((name) => {
          const value = make("td");
          this.rows.set(name, value);
          return make("tr", {}, make("th", { scope: "row" }, name), value);
        }),
      );
    }
    for (const [name, value] of figures.rows) (this.rows.get(name) as HTMLTableCellElement).textContent = value;
  }
}
