import { desktopBridge } from './bridge.ts';

/** What the host made for this window; null where it is fetched by its address. */
export async function fetchMade(handle: string): Promise<Blob | null> {
  const made = await desktopBridge()?.fetchFile?.(handle);
  return made instanceof Blob ? made : null;
}
