import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Api, CaseChange } from '../../src/model/contract/index.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { event } from '../support/scenario.ts';

/** What one window hears, as it hears it. */
function listen(api: Api, window: string) {
  const stop = new AbortController();
  const changes: CaseChange['kind'][] = [];
  const following = (async () => {
    for await (const { kind } of api['case.changes']({}, { window, signal: stop.signal })) changes.push(kind);
  })();
  return { heard: changes, stop: () => stop.abort(), following };
}

const note = (id: string) => ({
  id,
  kind: 'note' as const,
  text: 'looked at',
  target: null,
  at_ns: null,
  until_ns: null,
  made_at_ns: 1n,
});

test('what one window changes the others hear, itself and refused calls left out', async () => {
  const core = await memoryCore();
  await core.importJson({ events: [event('e1', 1, 'redfish', 'psu_failover', 'server-1')] });
  const [one, other] = [listen(core.api, 'one'), listen(core.api, 'other')];
  await expect.poll(() => [one.heard.length, other.heard.length]).toEqual([1, 1]);
  await core.api['annotations.change']({ put: [note('n1')] }, { window: 'one' });
  await expect.poll(() => other.heard).toEqual(['following', 'annotations']);
  const pair = { one: { kind: 'server', id: 'a' }, other: { kind: 'server', id: 'b' } };
  await core.api['names.hold_apart'](pair, { window: 'other' });
  await expect.poll(() => one.heard).toEqual(['following', 'conclusions']);
  const refused = { ...note('x'), id: 'no id' };
  expect(() => core.api['annotations.change']({ put: [refused] }, { window: 'one' })).toThrow('put.0.id');
  await core.importJson({ events: [event('e2', 2, 'redfish', 'psu_failover', 'server-2')] });
  await expect.poll(() => other.heard.includes('rows') && one.heard.includes('rows')).toBe(true);
  expect(other.heard.filter((kind) => kind === 'annotations')).toHaveLength(1);
  one.stop();
  other.stop();
  await Promise.all([one.following, other.following]);
});

test('while one window imports, another can neither import nor take the case away; afterwards it can', async () => {
  const core = await memoryCore();
  await core.importJson({ events: [event('e1', 1, 'redfish', 'psu_failover', 'server-1')] });
  const folder = await temporaryFolder();
  const file = join(folder, 'more.json');
  await writeFile(file, JSON.stringify({ events: [event('e2', 2, 'redfish', 'psu_failover', 'server-2')] }));
  const handle = await core.register(file);
  const running = core.api['import.run']({ handles: [handle] }, { window: 'one' })[Symbol.asyncIterator]();
  await running.next();
  const second = core.api['import.run']({ handles: [handle] }, { window: 'other' })[Symbol.asyncIterator]();
  await expect(second.next()).rejects.toMatchObject({ problem: { code: 'import.running' } });
  await expect(core.api['case.close']({}, { window: 'other' })).rejects.toMatchObject({
    problem: { code: 'import.running' },
  });
  while (!(await running.next()).done);
  expect((await core.api['case.current']({}))?.sources).toHaveLength(2);
  await core.api['case.close']({}, { window: 'other' });
  expect(await core.api['case.current']({})).toBeNull();
});
