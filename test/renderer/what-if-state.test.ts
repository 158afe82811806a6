import { beforeEach, expect, test } from 'vitest';
import { whatIfSchema } from '../../src/model/incident/what-if-schema.ts';
import { useCase } from '../../src/renderer/state/case-state.ts';
import {
  draftSupposition,
  forgetSuppositions,
  redoSupposing,
  type Supposition,
  stepBackSupposing,
  suppose,
  supposeNothing,
  takeBack,
  toWhatIf,
  undoSupposing,
  useWhatIf,
} from '../../src/renderer/state/what-if.ts';

const power: Supposition = { kind: 'layer', layer: 'power' };
const clock = (seconds: number): Supposition => ({ kind: 'clock', source: '2', name: 'bmc.json', seconds });
const events: Supposition = { kind: 'events', ids: ['event:1', 'event:2'], label: 'two events' };
const feed: Supposition = { kind: 'feed', to: 'server:a', from: null, insteadOf: 'pdu:B' };
const applied = () => useWhatIf.getState().applied;

beforeEach(forgetSuppositions);

test('the assumptions have the form of the contract', () => {
  for (const one of [power, events, { ...events, ids: ['event:2', 'e9'] }, clock(-3600), feed]) suppose(one);
  const whatIf = toWhatIf(applied());
  expect(whatIf).toEqual({
    without_layers: ['power'],
    without_events: ['event:1', 'event:2', 'e9'],
    clock_shifts: [{ source: '2', seconds: -3600 }],
    moved_feeds: [{ to: 'server:a', from: null, instead_of: 'pdu:B' }],
  });
  expect(whatIfSchema.parse(whatIf)).toEqual(whatIf);
});

test('a clock has one shift, and a layer is removed once', () => {
  for (const one of [power, clock(1), power, clock(2)]) suppose(one);
  expect(applied()).toEqual([power, clock(2)]);
});

test('every change can be undone and redone; a new one clears the redo history', () => {
  suppose(power);
  suppose(events);
  takeBack(power);
  supposeNothing();
  expect(applied()).toEqual([]);
  for (const expected of [[events], [power, events], [power], []]) {
    expect(undoSupposing()).toBe(true);
    expect(applied()).toEqual(expected);
  }
  expect(undoSupposing()).toBe(false);
  for (let i = 0; i < 2; i++) expect(redoSupposing()).toBe(true);
  expect(applied()).toEqual([power, events]);
  suppose(feed);
  expect(redoSupposing()).toBe(false);
});

test('stepping back closes the open form first, then removes the last assumption, and can be undone', () => {
  suppose(power);
  suppose(feed);
  draftSupposition({ kind: 'clock', source: '2' });
  expect(stepBackSupposing()).toBe(true);
  expect(useWhatIf.getState().draft).toBe(null);
  expect(applied()).toEqual([power, feed]);
  expect(stepBackSupposing()).toBe(true);
  expect(applied()).toEqual([power]);
  undoSupposing();
  expect(applied()).toEqual([power, feed]);
  supposeNothing();
  expect(stepBackSupposing()).toBe(false);
});

test('the result opens next to the current view', () => {
  useCase.setState({ view: 'timeline', tab: 'details' });
  suppose(power);
  expect(useCase.getState()).toMatchObject({ view: 'timeline', tab: 'causes' });
});
