// Short notes: what was not carried out, and why.
import { byId, make } from "./dom";

const STAYS = 6000; // [ms]
const MOST = 4;

/** Take away what was said, when it is tried again. */
export function forgetNotes(): void {
  byId("notes").replaceChildren();
}

export function note(text: string): void {
  const place = byId("notes");
  const shown = make("p", {}, text);
  place.append(shown);
  while (place.children.length > MOST) place.firstElementChild?.remove();
  setTimeout(() => shown.remove(), STAYS);
}
