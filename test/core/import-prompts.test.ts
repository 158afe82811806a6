import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Input } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { event } from '../support/scenario.ts';

/** Files of one event each, and as many records that are none. */
async function files(rejects: readonly number[]): Promise<string[]> {
  const folder = await temporaryFolder();
  const paths = rejects.map((_, i) => join(folder, `f${i}.json`));
  for (const [i, path] of paths.entries()) {
    const bad = Array.from({ length: rejects[i]! }, (_, n) => ({ id: `bad ${n}` }));
    await writeFile(path, JSON.stringify({ events: [event(`e${i}`, i, 'ups', 'ups_transfer', 'UPS-1'), ...bad] }));
  }
  return paths;
}

type Answer = Omit<Input<'import.answer'>, 'question'>;

/** Events of an import, with one answer per prompt. */
async function run(core: TestCore, paths: readonly string[], answers: readonly Answer[]) {
  const handles = await Promise.all(paths.map(core.register));
  const reported = [];
  let promptCount = 0;
  for await (const step of core.api['import.run']({ handles })) {
    if (step.kind === 'question')
      await core.api['import.answer']({ question: step.question, ...answers[promptCount++]! });
    if (step.kind !== 'progress') reported.push(step);
  }
  return reported;
}

const names = async (core: TestCore) => (await core.api['case.current']({}))?.sources.map(({ name }) => name);

test('half is not most; the prompt contains counts, the frequent reasons and what is still to come', async () => {
  const core = await openTestCore();
  const progress = await run(core, await files([1, 3, 0]), [{ keep: true }]);
  expect(progress.map(({ kind }) => kind)).toEqual(['source', 'question', 'source', 'source', 'done']);
  expect(progress[1]).toMatchObject({
    file: 'f1.json',
    rows: 1,
    rejects: 3,
    remaining: 1,
    reasons: [{ count: 3, excerpt: '{"id":"bad 0"}', reason: expect.stringMatching(/^event #: timestamp/) }],
  });
});

test('what is not kept is a problem and nothing of it stays; one answer can stand for the rest, either way', async () => {
  const paths = await files([3, 3, 0, 3]);
  const core = await openTestCore();
  const left = await run(core, paths, [{ keep: false, rest: true }]);
  expect(left.map(({ kind }) => kind)).toEqual(['question', 'problem', 'problem', 'source', 'problem', 'done']);
  expect(left[1]).toMatchObject({ file: 'f0.json', problem: { code: 'import.mostly_rejected', place: 'f0.json' } });
  expect([await names(core), (await core.api['case.current']({}))?.rejects]).toEqual([['f2.json'], 0]);
  const result = await run(core, paths, [{ keep: false }, { keep: true, rest: true }]);
  expect(result.map(({ kind }) => kind)).toEqual([
    'question',
    'problem',
    'question',
    'source',
    'problem',
    'source',
    'done',
  ]);
  expect(await names(core)).toEqual(['f2.json', 'f1.json', 'f3.json']);
});

test('an import that is left or cancelled while it asks keeps nothing of that source, and the next one is free', async () => {
  const [good, bad] = (await files([0, 3])) as [string, string];
  const core = await openTestCore();
  const handles = [await core.register(good), await core.register(bad)];
  let prompt = '';
  for await (const step of core.api['import.run']({ handles })) {
    if (step.kind !== 'question') continue;
    prompt = step.question;
    break;
  }
  expect(await names(core)).toEqual(['f0.json']);
  const cancel = new AbortController();
  const cancelled = (async () => {
    for await (const step of core.api['import.run']({ handles: handles.slice(1) }, { signal: cancel.signal }))
      if (step.kind === 'question') setTimeout(() => cancel.abort(), 20);
  })();
  await expect(cancelled).rejects.toThrow('cancelled');
  await expect(core.api['import.answer']({ question: prompt, keep: true })).rejects.toMatchObject({
    problem: { code: 'import.unknown_question' },
  });
  expect((await run(core, [bad], [{ keep: true }])).at(-1)).toMatchObject({ kind: 'done', imported: 1 });
  expect(await names(core)).toEqual(['f0.json', 'f1.json']);
});

test('a new case that got nothing is taken away again; one that was there before stays', async () => {
  const [bad, good] = await files([3, 0]);
  const core = await openTestCore();
  expect((await run(core, [bad!], [{ keep: false }])).map(({ kind }) => kind)).toEqual(['question', 'problem', 'done']);
  expect(await core.api['case.current']({})).toBeNull();
  expect(existsSync(core.path)).toBe(false);
  await run(core, [good!], []);
  await run(core, [bad!], [{ keep: false }]);
  expect(await names(core)).toEqual(['f1.json']);
  expect(existsSync(core.path)).toBe(true);
});
