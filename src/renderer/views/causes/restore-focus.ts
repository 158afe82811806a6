/** What had the focus is about to go; the keyboard stays in the what-if panel. */
export function restoreFocus(): void {
  requestAnimationFrame(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost) document.querySelector<HTMLElement>('.what-if .kinds button')?.focus();
  });
}
