import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { EntityChips } from '../../src/renderer/widgets/entity-chips.tsx';
import { Markdown } from '../../src/renderer/widgets/markdown.tsx';
import { ProblemNote } from '../../src/renderer/widgets/problem-note.tsx';
import { RecordLinks } from '../../src/renderer/widgets/record-links.tsx';

const root = join(import.meta.dirname, '../../src/renderer');
/** Inline HTML elements; blocks, controls and images are paragraphs of their own. */
const inline = [
  'a',
  'abbr',
  'b',
  'cite',
  'code',
  'em',
  'i',
  'kbd',
  'label',
  'mark',
  'output',
  'q',
  's',
  'small',
  'span',
];
inline.push('strong', 'sub', 'summary', 'sup', 'time', 'var');

test('every inline element of the page isolates the direction of its text', () => {
  const sources = globSync('**/*.tsx', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const used = inline.filter((name) => sources.some((text) => new RegExp(`<${name}[\\s>]`).test(text)));
  expect(used.length).toBeGreaterThan(6);
  const css = readFileSync(join(root, 'base.css'), 'utf8');
  const [, selectors = ''] = /([a-z,\s]+)\{\s*unicode-bidi: isolate;\s*\}/.exec(css) ?? [];
  const isolated = selectors.split(',').map((name) => name.trim());
  expect(used.filter((name) => !isolated.includes(name))).toEqual([]);
});

test('sentences with names show direction marks; single names are isolated', () => {
  const evil = 'PDU \u202eelif';
  const problem = { code: 'a.b', message: `${evil} is out`, hint: evil };
  const shown = [
    renderToStaticMarkup(createElement(ProblemNote, { problem })),
    renderToStaticMarkup(createElement(RecordLinks, { text: `${evil} sagged`, refs: ['event:1'] })),
    renderToStaticMarkup(createElement(Markdown, { text: `**${evil}** sagged`, onAnchor: () => undefined })),
  ];
  for (const html of shown) expect([html.includes('\u202e'), html.includes('\\u202e')]).toEqual([false, true]);
  expect(renderToStaticMarkup(createElement(EntityChips, { entities: [evil] }))).toContain(`<bdi>${evil}</bdi>`);
});
