// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { nanos } from '../../src/model/time.ts';
import type { Client } from '../../src/renderer/client/client.ts';
import { useCase } from '../../src/renderer/state/case-state.ts';
import { setClient } from '../../src/renderer/state/client.ts';
import { resetFocus, selectEntity, setPlayhead, useFocus } from '../../src/renderer/state/focus.ts';
import { startCapture } from '../../src/renderer/state/start-capture.ts';

test('a capture into a new case begins with nothing of the case before: no playhead, incident or selection', async () => {
  const empty = { name: 'capture', first_ns: null, last_ns: null, recorded_until_ns: null, sources: [], rows: {} };
  const answers: Readonly<Record<string, unknown>> = { 'capture.start': {}, 'case.current': empty };
  setClient({ call: async (name: string) => answers[name] ?? [] } as unknown as Client);
  resetFocus({ startNs: nanos(0n), endNs: nanos(600_000_000_000n) });
  setPlayhead(nanos(300_000_000_000n));
  selectEntity('gpu:a');
  useFocus.setState({ incident: 'inc_1', selected: 'event:1', onset: nanos(300_000_000_000n) });
  useCase.setState({ name: 'sag', phase: 'open', view: 'report' });

  expect(await startCapture('feeds: []', true)).toBeNull();
  expect(useCase.getState()).toMatchObject({ name: 'capture', view: 'timeline' });
  expect(useFocus.getState()).toMatchObject({
    ...{ playhead: null, incident: null, selected: null, entities: [], onset: null, brush: null },
    following: true,
  });
  const { startNs, endNs } = useFocus.getState().window;
  expect(Number(endNs - startNs)).toBe(120e9);
});
