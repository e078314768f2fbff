// A box that was ticked or a panel that was unfolded with the pointer gives the keys back: space plays and pauses.

export function giveKeysBack(): void {
  let pointed = false; // whether the last thing pressed was the pointer, not a key
  window.addEventListener("pointerdown", () => (pointed = true), { capture: true });
  window.addEventListener("keydown", () => (pointed = false), { capture: true });
  window.addEventListener("click", () => {
    const at = document.activeElement as HTMLElement | null;
    if (pointed && at?.matches("summary, input[type=checkbox]")) at.blur();
  });
}
