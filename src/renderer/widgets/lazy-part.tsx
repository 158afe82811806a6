import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react';

/** The code of a part, and how it is loaded. */
interface Part<P> {
  /** null: not loaded yet. */
  component: ComponentType<P> | null;
  /** Loads it once, and again after a failure. */
  readonly load: () => Promise<void>;
}

const loads: (() => Promise<void>)[] = [];

/**
 * A part of the window whose code is a file of its own: loaded when the part is first shown, or before by `loadPartsSoon`. Unlike
 * React's `lazy` it is drawn at once when its code is there, without a frame of a fallback. A failed load is thrown while it renders.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): (properties: P) => ReactNode {
  let loading: Promise<void> | null = null;
  const part: Part<P> = {
    component: null,
    load: () => {
      loading ??= load().then(
        (loaded) => {
          part.component = loaded;
        },
        (error: unknown) => {
          loading = null;
          throw error;
        },
      );
      return loading;
    },
  };
  loads.push(part.load);
  return (properties) => <Loaded part={part as unknown as Part<object>} properties={properties} />;
}

function Loaded({ part, properties }: { readonly part: Part<object>; readonly properties: object }): ReactNode {
  const [isThere, setThere] = useState(part.component !== null);
  useEffect(() => {
    if (isThere) return;
    let isShown = true;
    const show = (result: () => boolean) => isShown && setThere(result);
    part.load().then(
      () => show(() => true),
      (error: unknown) =>
        show(() => {
          throw error;
        }),
    );
    return () => {
      isShown = false;
    };
  }, [isThere, part]);
  return part.component ? createElement(part.component, properties) : null;
}

const idle = (): Promise<void> =>
  new Promise((resolve) =>
    // Safari has no such call.
    'requestIdleCallback' in globalThis ? requestIdleCallback(() => resolve()) : setTimeout(resolve),
  );

let isLoadingAll = false;

/** Once the first picture is there: loads the code of all parts, one at a time while the page has nothing else to do. */
export async function loadPartsSoon(): Promise<void> {
  if (isLoadingAll) return;
  isLoadingAll = true;
  for (const load of loads) {
    await idle();
    // A part that cannot be loaded reports it where it is shown.
    await load().catch(() => {});
  }
}
