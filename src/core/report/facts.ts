import type { Fact, ReportBlock } from '../../model/incident/report-document.ts';

interface More {
  readonly lead?: string;
  readonly details?: Fact['details'];
}

/** A statement with what it rests on. */
export const fact = (text: string, refs: readonly string[], { lead = '', details = [] }: More = {}): Fact => ({
  lead,
  text,
  refs: [...new Set(refs)],
  details,
});

export const sentences = (...facts: readonly Fact[]): ReportBlock => ({ kind: 'sentences', facts: [...facts] });
export const list = (facts: readonly Fact[], ordered = false): ReportBlock => ({
  kind: 'list',
  ordered,
  facts: [...facts],
});
export const remark = (text: string): ReportBlock => ({ kind: 'remark', text });
export const figureOf = (figure: string): ReportBlock => ({ kind: 'figure', figure });

interface Row {
  readonly cells: readonly string[];
  readonly refs: readonly string[];
}
export const table = (head: readonly string[], rows: readonly Row[]): ReportBlock => ({
  kind: 'table',
  head: [...head],
  rows: rows.map(({ cells, refs }) => ({ cells: [...cells], refs: [...new Set(refs)] })),
});

/** Evidence ids of blocks, in the order in which a reader meets them. */
export function refsOf(blocks: readonly ReportBlock[], drawnFrom: (figure: string) => readonly string[]): string[] {
  return blocks.flatMap((block): string[] => {
    switch (block.kind) {
      case 'sentences':
      case 'list':
        return block.facts.flatMap(({ refs, details }) => [...refs, ...details.flatMap((one) => one.refs)]);
      case 'table':
        return block.rows.flatMap(({ refs }) => refs);
      case 'figure':
        return [...drawnFrom(block.figure)];
      default:
        return [];
    }
  });
}

/** What blocks state, a line each: prose that was written about them remembers these. */
export function statementsOf(blocks: readonly ReportBlock[]): string[] {
  return blocks.flatMap((block): string[] => {
    switch (block.kind) {
      case 'sentences':
      case 'list':
        return block.facts.flatMap(({ lead, text, details }) => [`${lead}${text}`, ...details.map((one) => one.text)]);
      case 'table':
        return block.rows.map(({ cells }) => cells.join(', '));
      default:
        return [];
    }
  });
}
