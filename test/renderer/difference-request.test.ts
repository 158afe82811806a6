import { beforeEach, expect, test } from 'vitest';
import { nanos } from '../../src/model/time.ts';
import {
  currentDifferenceRequest,
  holdsIncident,
  useDifferenceSelection,
} from '../../src/renderer/state/difference-request.ts';
import { type Focus, useFocus } from '../../src/renderer/state/focus.ts';
import { incidentOf, putKnown } from '../../src/renderer/state/known.ts';

const second = 1_000_000_000n;
const incident = {
  incident: { id: 'incident-1' },
  previous_ns: 100n * second,
  onset_earliest_ns: 100n * second,
  onset_ns: 110n * second,
  end_ns: 200n * second,
} as never;

const brushed = (from: bigint, to: bigint): Focus => ({
  ...useFocus.getState(),
  incident: 'incident-1',
  brush: { startNs: nanos(from * second), endNs: nanos(to * second) },
});
const choiceOf = (from: bigint, to: bigint) =>
  currentDifferenceRequest(brushed(from, to), useDifferenceSelection.getState())?.choice;

beforeEach(() => putKnown('incidents.list', [incident]));

test('a brush before or at the onset is compared with as long before, one in the impact with the time before the incident', () => {
  expect(choiceOf(101n, 110n)).toBe('before');
  expect(choiceOf(50n, 60n)).toBe('before');
  expect(choiceOf(150n, 160n)).toBe('quiet');
});

test('after the incident all else is the baseline, which then holds the incident', () => {
  expect(choiceOf(210n, 220n)).toBe('rest');
  const request = currentDifferenceRequest(brushed(210n, 220n), useDifferenceSelection.getState());
  expect(request && holdsIncident(request, incidentOf('incident-1'))).toBe(true);
  const inside = currentDifferenceRequest(brushed(150n, 160n), useDifferenceSelection.getState());
  expect(inside && holdsIncident(inside, incidentOf('incident-1'))).toBe(false);
});
