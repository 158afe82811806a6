import { act, createElement } from 'react';
import { vi } from 'vitest';

const ignore = (): void => undefined;
/** The least of a document that React asks for: a component that draws nothing needs no other. */
const node = { nodeType: 9, visibilityState: 'visible', addEventListener: ignore, removeEventListener: ignore };
const container = { ...node, nodeType: 1, nodeName: 'DIV', tagName: 'DIV', ownerDocument: node };

interface ProbeProps {
  readonly run: () => void;
}

function Probe({ run }: ProbeProps) {
  run();
  return null;
}

const mounted = new Set<() => Promise<void>>();

/** Unmounts the hooks of a test. */
export async function unmountHooks(): Promise<void> {
  for (const unmount of mounted) await unmount();
  vi.unstubAllGlobals();
}

/** Runs a hook in a React root, with effects. */
export async function runHook<P, R>(hook: (props: P) => R, first: P) {
  vi.stubGlobal('window', globalThis);
  vi.stubGlobal('document', node);
  vi.stubGlobal('HTMLIFrameElement', class {});
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const { createRoot } = await import('react-dom/client');
  const root = createRoot({ ...container } as never);
  const results: R[] = [];
  const render = (props: P): Promise<void> =>
    act(async () => root.render(createElement(Probe, { run: () => results.push(hook(props)) })));
  const unmount = (): Promise<void> => {
    mounted.delete(unmount);
    return act(async () => root.unmount());
  };
  mounted.add(unmount);
  await render(first);
  return {
    render,
    unmount,
    results,
    /** The newest result. */
    get now(): R {
      return results.at(-1)!;
    },
  };
}
