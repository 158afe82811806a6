/** Singular and plural of the rows of each table, the most important tables first. */
export const rowNouns: Readonly<Record<string, readonly [one: string, several: string]>> = {
  span: ['span', 'spans'],
  event: ['event', 'events'],
  point: ['sample', 'samples'],
  distribution: ['distribution', 'distributions'],
  log: ['log record', 'log records'],
  collective: ['collective', 'collectives'],
  edge: ['topology edge', 'topology edges'],
  span_event: ['span event', 'span events'],
  span_link: ['span link', 'span links'],
  exemplar: ['exemplar', 'exemplars'],
};

/** `1 span, 70 samples`: what there is of each, in the order above; '' when there is nothing. */
export function countRows(rows: Readonly<Record<string, number>>, format: (count: number) => string = String): string {
  const kinds = [...Object.keys(rowNouns), ...Object.keys(rows).filter((kind) => !(kind in rowNouns))];
  return kinds
    .flatMap((kind) => {
      const count = rows[kind] ?? 0;
      return count > 0 ? [`${format(count)} ${rowNouns[kind]?.[count === 1 ? 0 : 1] ?? kind}`] : [];
    })
    .join(', ');
}
