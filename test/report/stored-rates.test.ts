import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exported, incidentCase, opened } from '../bundle/bundle-case.ts';
import { openTestCore } from '../support/core.ts';

const example = readFileSync(join(import.meta.dirname, '../../docs/rates.example.yaml'), 'utf8');
const contract =
  'version: 1\ncurrency: EUR\nrates:\n  - {gpu: "*", per_gpu_hour: 2, as_of: 2026-01-02, source: our contract}\n';
const costIn = (text: string): string => /Cost: ([^\n]*)/.exec(text.replaceAll('*', ''))?.[1] ?? '';

test('chosen prices are those of every report of the case, until they are removed; given ones come first', async () => {
  const core = await incidentCase('pdu-sag');
  const report = async (rates: string | null = null) => (await core.api['report.render']({ rates })).text;
  const { summary: none } = { summary: await report() };
  expect(await core.api['rates.get']({})).toBeNull();
  expect(await core.api['rates.choose']({ name: 'example.yaml', text: example })).toEqual({
    name: 'example.yaml',
    currency: 'USD',
    lines: 3,
    oldest: '2024-06-01',
    newest: '2024-06-01',
    is_upper: true,
  });
  await core.api['rates.choose']({ name: 'contract.yaml', text: contract });
  expect(await core.api['rates.get']({})).toMatchObject({ name: 'contract.yaml', is_upper: false });
  expect(await report()).toBe(await report(contract));
  expect(await report()).not.toBe(none);
  expect(await report(example)).not.toBe(await report());
  expect(costIn(none)).toContain('no GPU rate was given');
  await core.api['rates.remove']({});
  expect([await core.api['rates.get']({}), await report()]).toEqual([null, none]);
});

test('they are there when the case is opened again, and in no bundle of it', async () => {
  const core = await incidentCase('pdu-sag');
  const plain = await exported(core);
  await core.api['rates.choose']({ name: 'contract.yaml', text: contract });
  const bundle = await exported(core);
  expect(bundle.root).toBe(plain.root);
  expect(await (await opened(bundle.path)).api['rates.get']({})).toBeNull();
  await core.close();
  const again = await openTestCore(core.path);
  expect(await again.api['rates.get']({})).toMatchObject({ name: 'contract.yaml', currency: 'EUR' });
});

test('a faulty file is reported with its line, and replaces nothing', async () => {
  const core = await incidentCase('pdu-sag');
  await core.api['rates.choose']({ name: 'contract.yaml', text: contract });
  const faulty = contract.replace('per_gpu_hour: 2', 'per_gpu_hour: two');
  await expect(core.api['rates.choose']({ name: 'faulty.yaml', text: faulty })).rejects.toMatchObject({
    problem: { code: 'rates.invalid', message: expect.stringMatching(/line 4, rates\.0\.per_gpu_hour/) },
  });
  await expect(core.api['rates.choose']({ name: 'broken.yaml', text: 'version: [1' })).rejects.toMatchObject({
    problem: { code: 'rates.invalid', message: expect.stringMatching(/line 1/) },
  });
  expect(await core.api['rates.get']({})).toMatchObject({ name: 'contract.yaml' });
});
