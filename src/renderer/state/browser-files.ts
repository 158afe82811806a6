/** What the file dialog of the browser offers: one file or several, a complete folder, or files with these endings only. */
interface Offer {
  readonly multiple?: boolean;
  readonly folder?: boolean;
  readonly accept?: string;
}

/**
 * Opens the file dialog of the browser; `take` gets the chosen files, and is not called when the investigator chooses none.
 * The input is in the page while the dialog is open: a browser may collect one that nothing holds, and the choice would be lost.
 */
export function chooseBrowserFiles(offer: Offer, take: (files: readonly File[]) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.hidden = true;
  input.multiple = offer.multiple ?? false;
  input.webkitdirectory = offer.folder ?? false;
  input.accept = offer.accept ?? '';
  input.addEventListener('cancel', () => input.remove());
  input.addEventListener('change', () => {
    input.remove();
    const files = [...(input.files ?? [])];
    if (files.length > 0) take(files);
  });
  document.body.append(input);
  input.click();
}
