import { join } from 'node:path';
import { expect, test } from 'vitest';
import { correlator } from '../../bench/corpus/answer.ts';
import { families } from '../../bench/corpus/label.ts';
import { runCorpus } from '../../bench/corpus/run.ts';
import {
  compareVerdicts,
  type RecordedVerdict,
  readVerdicts,
  recordVerdicts,
} from '../../bench/corpus/verdict-record.ts';

const recorded = join(import.meta.dirname, '../../bench/corpus/verdicts.jsonl.gz');

const verdict = (
  id: string,
  probability = 0.9,
  path = 1.5,
  chain: readonly (readonly [string, string])[] = [['a', 'b']],
): RecordedVerdict => ({
  id,
  answers: [
    {
      service: 'chat',
      onset_ns: '5',
      end_ns: '9',
      chain,
      hypotheses: [{ type: 'voltage_sag', subject: 'pdu:PDU-B', event: 'a', probability, features: { path } }],
    },
  ],
});

test('verdicts that are equal have no differences', () => {
  expect(compareVerdicts([verdict('one')], [verdict('one')])).toEqual({ compared: 1, equal: 1, lines: [] });
});

test('a moved probability, feature and chain are named with the incident', () => {
  const before = [verdict('one'), verdict('two'), verdict('three'), verdict('gone')];
  const after = [verdict('one', 0.8), verdict('two', 0.9, 1.4), verdict('three', 0.9, 1.5, []), verdict('new')];
  expect(compareVerdicts(before, after)).toEqual({
    compared: 4,
    equal: 0,
    lines: [
      'one: chat: voltage_sag pdu:PDU-B (a) probability 0.9 -> 0.8',
      'two: chat: voltage_sag pdu:PDU-B (a) path 1.5 -> 1.4',
      'three: chat: chain [["a","b"]] -> []',
      'new: not recorded before',
      'gone: no longer there',
    ],
  });
});

test('one incident of each family gets the recorded verdict', async () => {
  const ids = new Set(families.map((family) => `${family}-h-0`));
  const before = (await readVerdicts(recorded)).filter(({ id }) => ids.has(id));
  const after = recordVerdicts(await runCorpus(correlator, { ids }));
  expect(after).toHaveLength(families.length);
  expect(compareVerdicts(before, after).lines).toEqual([]);
});
