import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CaseInfo, IncidentView, LiveCaptureView } from '../../src/model/contract/index.ts';
import type { Client } from '../../src/renderer/client/client.ts';
import { useCase } from '../../src/renderer/state/case-state.ts';
import { setClient } from '../../src/renderer/state/client.ts';
import { useFocus } from '../../src/renderer/state/focus.ts';
import { enterCase, known, load, putKnown, useIncidents, useKnownAnswer } from '../../src/renderer/state/known.ts';
import { useLive } from '../../src/renderer/state/live.ts';
import { type Changing, liveRowsCame } from '../../src/renderer/state/live-refresh.ts';
import { queries, refreshAnswers } from '../../src/renderer/state/query-cache.ts';
import { useAnswer } from '../../src/renderer/state/use-answer.ts';
import { runHook, unmountHooks } from '../support/hooks.ts';
import { useLaterClock } from '../support/later-clock.ts';

/** A request of the window that the test answers. */
interface Request {
  readonly of: unknown;
  readonly signal: AbortSignal;
  readonly answer: (value: unknown) => Promise<void>;
  readonly fail: (error: unknown) => Promise<void>;
}

const requests: Request[] = [];
function ask(of: unknown, signal: AbortSignal): Promise<never> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  signal.addEventListener('abort', () => reject(signal.reason));
  requests.push({
    of,
    signal,
    answer: (value) => act(async () => resolve(value)),
    fail: (error) => act(async () => reject(error)),
  });
  return promise as Promise<never>;
}
const last = (): Request => requests.at(-1)!;
const asked = () => requests.map(({ of }) => of);
const cached = () => queries.getQueryCache().getAll();

const call = (name: string, _input: unknown, signal: AbortSignal) => ask(name, signal);
const named = (name: string): CaseInfo => ({ name }) as CaseInfo;
const wait = (ms: number): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
interface Asked {
  readonly key: unknown;
  readonly changing?: readonly Changing[];
}
const answers = (first: Asked) =>
  runHook(({ key, changing }: Asked) => useAnswer<string>(key, (signal) => ask(key, signal), changing), first);

beforeEach(() => {
  useLaterClock();
  requests.length = 0;
  queries.clear();
  setClient({ call } as unknown as Client);
  enterCase(named('one'), { phase: 'open' });
});

afterEach(async () => {
  await unmountHooks();
  vi.useRealTimers();
});

test('the old answer stays while the next one loads, and a newer key aborts the older request', async () => {
  const view = await answers({ key: ['rows', 1n] });
  expect(view.now).toMatchObject({ value: undefined, isLoading: true });
  await last().answer('first');
  expect(view.now).toMatchObject({ value: 'first', isOld: false, isLoading: false });
  await view.render({ key: ['rows', 2n] });
  const second = last();
  expect(view.now).toMatchObject({ value: 'first', isOld: true, isLoading: true });
  await view.render({ key: ['rows', 3n] });
  expect(second.signal.aborted).toBe(true);
  expect(asked()).toEqual([
    ['rows', 1n],
    ['rows', 2n],
    ['rows', 3n],
  ]);
  await last().answer('third');
  expect(view.now).toMatchObject({ value: 'third', isOld: false, problem: undefined });
});

test('the old answer stays beside the problem of the next one, which is asked again on request alone', async () => {
  const view = await answers({ key: ['rows', 1] });
  await last().answer('first');
  await view.render({ key: ['rows', 2] });
  await last().fail(new Error('the disk is full'));
  expect(view.now).toMatchObject({ value: 'first', problem: { message: 'the disk is full' }, isLoading: false });
  await wait(60_000);
  expect(requests).toHaveLength(2);
  await act(async () => view.now.retry());
  await last().answer('second');
  expect(view.now).toMatchObject({ value: 'second', problem: undefined });
});

test('an answer of the former case is never shown, neither an old one nor a late one', async () => {
  const view = await answers({ key: ['rows'] });
  await last().answer('of one');
  await act(async () => useCase.setState(({ revision }) => ({ revision: revision + 1 })));
  expect(view.now).toMatchObject({ value: 'of one', isOld: true });
  const late = last();
  view.results.length = 0;
  await act(async () => enterCase(named('two'), {}));
  await late.answer('late of one');
  expect(view.results.map(({ value }) => value).filter((value) => value !== undefined)).toEqual([]);
  expect(late.signal.aborted).toBe(true);
  await last().answer('of two');
  expect(view.now.value).toBe('of two');
});

test('an unused answer is dropped at once', async () => {
  const view = await answers({ key: ['rows', 1] });
  await last().answer('first');
  await view.render({ key: ['rows', 2] });
  await last().answer('second');
  await wait(0);
  const held = () => cached().map(({ state }) => state.data);
  expect(held()).not.toContain('first');
  expect(held()).toContain('second');
  await view.unmount();
  await wait(0);
  expect(held()).not.toContain('second');
});

test('progress shows after 300 ms, across newer keys', async () => {
  const view = await answers({ key: ['rows', 1] });
  await wait(200);
  await view.render({ key: ['rows', 2] });
  await wait(90);
  expect(view.now.slow).toBe(false);
  await wait(20);
  expect(view.now.slow).toBe(true);
  await last().answer('second');
  expect(view.now.slow).toBe(false);
});

test('null asks nothing and shows nothing', async () => {
  const view = await answers({ key: ['rows'] });
  await last().answer('first');
  await view.render({ key: null });
  expect(view.now).toMatchObject({ value: undefined, isLoading: false, problem: undefined });
  expect(requests).toHaveLength(1);
});

test('a change in this window asks for its answers again, not for others', async () => {
  const rates = await answers({ key: ['rates.get'] });
  const other = await answers({ key: ['rows'] });
  for (const one of [...requests]) await one.answer('old');
  await act(async () => refreshAnswers('rates.get'));
  // A second change, before the answer to the first.
  await act(async () => refreshAnswers('rates.get'));
  expect(asked()).toEqual([['rates.get'], ['rows'], ['rates.get'], ['rates.get']]);
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([false, false, true, false]);
  expect(rates.now.value).toBe('old');
  await last().answer('new');
  expect(rates.now.value).toBe('new');
  expect(other.now.value).toBe('old');
});

test('a live refresh asks only for what has new rows, without progress', async () => {
  const spans = await answers({ key: ['spans'], changing: ['span'] });
  const logs = await answers({ key: ['logs'], changing: ['log'] });
  const fixed = await answers({ key: ['fixed'] });
  for (const one of [...requests]) await one.answer('old');
  await act(async () => {
    useLive.setState({ capture: { phase: 'running' } as LiveCaptureView });
    useFocus.setState({ following: true });
    liveRowsCame(['log']);
  });
  await wait(5000);
  expect(asked()).toEqual([['spans'], ['logs'], ['fixed'], ['logs']]);
  // The next refresh waits for it.
  liveRowsCame(['log']);
  await wait(5000);
  expect(requests).toHaveLength(4);
  expect(logs.now).toMatchObject({ value: 'old', slow: false, isLoading: true });
  await last().answer('new');
  expect([spans, logs, fixed].map(({ now }) => now.value)).toEqual(['old', 'new', 'old']);
  await act(async () => useLive.setState({ capture: null }));
});

test('what many parts read stays without readers, until another case opens', async () => {
  const incident = { incident: { id: 'i1' } } as IncidentView;
  const view = await runHook(
    () => ({ shown: useIncidents(), answer: useKnownAnswer('incidents.list', () => undefined) }),
    0,
  );
  expect(requests).toHaveLength(0);
  putKnown('incidents.list', [incident]);
  await wait(0);
  expect(view.now.shown).toEqual([incident]);
  await view.unmount();
  await wait(600_000);
  expect(known('incidents.list')).toEqual([incident]);
  enterCase(null, {});
  await wait(0);
  expect(known('incidents.list')).toBeUndefined();
  expect(cached().filter(({ state }) => Array.isArray(state.data))).toEqual([]);
});

test('loading anew aborts the older request; both callers get the newer answer', async () => {
  putKnown('clocks.list', []);
  const older = load('clocks.list');
  const newer = load('clocks.list');
  expect(requests[0]?.signal.aborted).toBe(true);
  expect(known('clocks.list')).toEqual([]);
  await last().answer(['clock']);
  expect(await Promise.all([older, newer])).toEqual([['clock'], ['clock']]);
});

test('a load goes on when its last reader leaves', async () => {
  const view = await runHook(() => useIncidents(), 0);
  const loading = load('incidents.list');
  await view.unmount();
  expect(last().signal.aborted).toBe(false);
  await last().answer([]);
  expect(await loading).toEqual([]);
  expect(known('incidents.list')).toEqual([]);
});

test('what is loaded for the former case is aborted and not put into the next', async () => {
  const loading = load('timeline.lanes').catch((error: unknown) => (error as Error).name);
  enterCase(named('two'), {});
  expect(last().signal.aborted).toBe(true);
  expect(await loading).toBe('AbortError');
  expect(known('timeline.lanes')).toBeUndefined();
  expect(known('case.current')).toEqual(named('two'));
});

test('a failed load keeps what is known and shows the problem beside it', async () => {
  const view = await runHook(() => useKnownAnswer('timeline.lanes', () => undefined), 0);
  putKnown('timeline.lanes', []);
  const loading = load('timeline.lanes').catch(() => 'failed');
  await last().fail(new Error('no memory'));
  expect(await loading).toBe('failed');
  expect(view.now).toMatchObject({ value: [], problem: { message: 'no memory' } });
});
