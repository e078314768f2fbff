// The column of panels: on a narrow page it is put away behind a button, and one sees when there is more of it below.
import { make } from "./dom";

export function foldSide(side: HTMLElement, title: HTMLElement): void {
  const button = make("button", { id: "panels", type: "button", "aria-expanded": "false", "aria-controls": "side" }, "Panels");
  title.after(button);
  button.addEventListener("click", () => {
    const open = document.body.classList.toggle("panels");
    button.setAttribute("aria-expanded", String(open));
  });
  const mark = (): void => {
    side.classList.toggle("more", side.scrollTop + side.clientHeight < side.scrollHeight - 2);
  };
  side.addEventListener("scroll", mark, { passive: true });
  side.addEventListener("toggle", mark, { capture: true });
  new ResizeObserver(mark).observe(side);
}
