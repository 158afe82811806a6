import { expect, test } from 'vitest';
import { createArchives } from '../../src/main/archives/index.ts';
import { createFeeds } from '../../src/main/capture/index.ts';

const fields = [...createFeeds(false).kinds, ...createArchives(false).kinds].flatMap((form) =>
  form.fields.map((field) => ({ kind: form.kind, ...field })),
);
const aboutOf = (kind: string, path: string) => fields.find((one) => one.kind === kind && one.path === path)?.about;

test('a form states what an empty field means, and never the null of a plan', () => {
  expect(fields.length).toBeGreaterThan(50);
  expect(fields.filter(({ about }) => /(^|; )null:/.test(about))).toEqual([]);
  expect(aboutOf('prometheus', 'bearer')).toBe('where a bearer token is; empty: none is sent');
  // An empty field has its default.
  expect(fields.filter(({ about, fallback }) => about.includes('empty:') && fallback !== '')).toEqual([]);
  expect(aboutOf('clickhouse', 'traces')).toBe('table of spans; the word null: none');
});
