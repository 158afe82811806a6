import type { DesktopBridge } from '../model/contract/index.ts';
import { fail } from '../model/problem.ts';

type LinkedBundle = NonNullable<ReturnType<NonNullable<DesktopBridge['linkedBundle']>>>;

/** The bundle that `?bundle=` names; of another origin it is refused before anything is asked. */
export function linkedBundle({
  search,
  href,
  origin,
}: Pick<Location, 'search' | 'href' | 'origin'>): LinkedBundle | null {
  const named = new URLSearchParams(search).get('bundle');
  if (named === null || named === '') return null;
  const address = URL.canParse(named, href) ? new URL(named, href) : null;
  const name = decodeURIComponent(address?.pathname.split('/').at(-1) || 'bundle.flb');
  return {
    name,
    fetch: async (onProgress, signal) => {
      if (address?.origin !== origin)
        return fail(
          'viewer.other_origin',
          `?bundle= names ${named.slice(0, 200)}, which is not where this page came from`,
          {
            hint: 'put the bundle beside the viewer, or download it and drop it here',
          },
        );
      const blob = await download(address, { name, onProgress, signal });
      return new File([blob], name);
    },
  };
}

interface Download {
  readonly name: string;
  onProgress(done: number, total: number): void;
  readonly signal: AbortSignal;
}

async function download(address: URL, { name, onProgress, signal }: Download): Promise<Blob> {
  const response = await fetch(address, { signal, redirect: 'error', credentials: 'same-origin' }).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      return fail(
        'viewer.no_bundle',
        `${name} cannot be fetched (${error instanceof Error ? error.message : 'no reason'})`,
      );
    },
  );
  if (!response.ok || !response.body)
    return fail('viewer.no_bundle', `${name} cannot be fetched: the server answers ${response.status}`);
  const total = Number(response.headers.get('content-length') ?? 0);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    done += piece.value.length;
    onProgress(done, Math.max(total, done));
  }
  return new Blob(pieces);
}
