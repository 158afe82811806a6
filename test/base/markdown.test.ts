import { describe, expect, test } from 'vitest';
import { type Block, type Inline, parseInlines, parseMarkdown } from '../../src/base/markdown.ts';

const plainText = (inlines: readonly Inline[]): string =>
  inlines
    .map((inline) => ('children' in inline ? plainText(inline.children) : 'text' in inline ? inline.text : ''))
    .join('');

const kinds = (text: string) => parseMarkdown(text).map((block) => block.kind);

test('the blocks a report is made of', () => {
  const text =
    '# Title\n\nA line\nand its end.\n\n- one\n- two\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n> said\n\n---\n\n```json\n{}\n```\n';
  expect(kinds(text)).toEqual(['heading', 'paragraph', 'list', 'table', 'quote', 'rule', 'code']);
});

describe('lists', () => {
  const list = (text: string) => parseMarkdown(text)[0] as Extract<Block, { kind: 'list' }>;
  test('nest by indentation, each with its own kind', () => {
    const outer = list('1. **first**\n   - +3.1 for\n   - −0.9 against\n2. second');
    expect(outer.start).toBe(1);
    expect(outer.items).toHaveLength(2);
    expect(outer.items[0]?.children[0]?.start).toBeNull();
    expect(outer.items[0]?.children[0]?.items.map(({ inlines }) => plainText(inlines))).toEqual([
      '+3.1 for',
      '−0.9 against',
    ]);
  });
  test('go on with their own number after an indented record', () => {
    const blocks = parseMarkdown('- **event:1**: a\n\n  ```json\n  {\n    "a": 1\n  }\n  ```\n- **event:2**: b');
    expect(blocks.map(({ kind }) => kind)).toEqual(['list', 'code', 'list']);
    expect(blocks[1]).toMatchObject({ kind: 'code', text: '{\n  "a": 1\n}' });
  });
});

test('tables know their alignment, and a pipe in a cell may be escaped', () => {
  const [table] = parseMarkdown('| name | value |\n| :-- | --: |\n| a \\| b | 2 ms |') as [
    Extract<Block, { kind: 'table' }>,
  ];
  expect(table.align).toEqual(['left', 'right']);
  expect(table.rows[0]?.map(plainText)).toEqual(['a | b', '2 ms']);
});

describe('inlines', () => {
  test('bold, code, emphasis, links and escapes', () => {
    expect(parseInlines('**a** `b*c` *d* [event:7](#event-7) 2 \\* 3')).toEqual([
      { kind: 'strong', children: [{ kind: 'text', text: 'a' }] },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'b*c' },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', children: [{ kind: 'text', text: 'd' }] },
      { kind: 'text', text: ' ' },
      { kind: 'link', href: '#event-7', children: [{ kind: 'text', text: 'event:7' }] },
      { kind: 'text', text: ' 2 * 3' },
    ]);
  });
  test('names with underscores stay names', () => {
    expect(plainText(parseInlines('psu_failover and cpu_power_cap'))).toBe('psu_failover and cpu_power_cap');
    expect(parseInlines('psu_failover and cpu_power_cap')).toHaveLength(1);
  });
  test('an anchor is an anchor; all other HTML is text', () => {
    expect(parseInlines('<a id="event-7"></a>x')[0]).toEqual({ kind: 'anchor', id: 'event-7' });
    const hostile = '<img src=x onerror=alert(1)><script>1</script>';
    expect(parseInlines(hostile)).toEqual([{ kind: 'text', text: hostile }]);
  });
});

test('any text ends, and loses no content', () => {
  for (const text of [
    '',
    '\n\n',
    '|',
    '| a |',
    '```',
    '- ',
    '1.',
    '#',
    '>',
    '[a](',
    '**',
    '`',
    '- a\n   b\n\n\n- c',
    '| a |\n| --- |',
  ]) {
    expect(() => parseMarkdown(text)).not.toThrow();
  }
});
