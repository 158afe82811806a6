/** The focused element is about to disappear; keep the keyboard in the what-if panel. */
export function restoreFocus(): void {
  requestAnimationFrame(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost) document.querySelector<HTMLElement>('.what-if .kinds button')?.focus();
  });
}
