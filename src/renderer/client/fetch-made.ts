import { desktopBridge } from './bridge.ts';

/** A file that the host made for this window; null if the window fetches it by address. */
export async function fetchMade(handle: string): Promise<Blob | null> {
  const made = await desktopBridge()?.fetchFile?.(handle);
  return made instanceof Blob ? made : null;
}
