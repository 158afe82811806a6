import { expect, test } from 'vitest';
import { excusedBy } from '../../src/core/analysis/evidence/software.ts';
import { warningText } from '../../src/core/analysis/warnings/warning-text.ts';
import { alsoDegraded } from '../../src/core/report/sections/affected.ts';
import { annotationText } from '../../src/model/incident/annotation.ts';
import { excerptText } from '../../src/model/storage/bundle.ts';
import { messages } from '../../src/renderer/shell/messages/share.ts';

const hundred = Array.from({ length: 100 }, (_, at) => `node-${at}`);

test('a sentence names the first of a hundred and counts the others', () => {
  const ofService = (service: string) => ({
    view: { incident: { id: service, affected_services: [service], affected_parts: [] } },
    requests: null,
  });
  const excerpt = { from_ns: null, to_ns: null, entities: hundred, redacted: false };
  const group = { kind: 'group', members: hundred.map((id) => `node:${id}`) };
  const texts = [
    warningText({ kind: 'not_in_topology', devices: hundred }),
    excusedBy.text({ services: hundred }, String),
    excerptText(excerpt),
    annotationText(group as never),
    messages.extent.cut('an hour', hundred),
    JSON.stringify(alsoDegraded(hundred.map(ofService) as never)),
  ];
  for (const text of texts) {
    expect(text).toContain('node-2');
    expect(text).toMatch(/and 9\d more/);
    expect(text).not.toContain('node-60');
  }
});

test('of few, all are named', () => {
  expect(warningText({ kind: 'not_in_topology', devices: ['a', 'b'] })).toMatch(/: a, b$/);
  expect(excusedBy.text({ services: ['a', 'b', 'c'] }, String)).toBe('as trouble in a, b, c would make it');
});
