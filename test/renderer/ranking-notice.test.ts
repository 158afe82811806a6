import { expect, test } from 'vitest';
import { rankingNotice } from '../../src/renderer/state/ranking-notice.ts';

const view = (...hypotheses: readonly (readonly [id: string, probability: number])[]) =>
  ({
    incident: {
      id: 'i1',
      hypotheses: hypotheses.map(([id, probability]) => ({
        type: 'voltage_sag',
        subject: { kind: 'pdu', id },
        probability,
      })),
    },
  }) as never;

test('what an edit did to the verdict is stated: nothing, another probability, another cause, a tie, no impact', () => {
  const before = [view(['B', 0.98], ['A', 0.02])];
  const notice = (...after: readonly never[]) => rankingNotice(before, after, 'i1');
  expect(notice(...before)).toBe('Ranked again, unchanged: voltage sag on B at 0.98');
  expect(notice(view(['B', 0.7], ['A', 0.3]))).toBe(
    'Ranked again: voltage sag on B at 0.70; before voltage sag on B at 0.98',
  );
  expect(notice(view(['A', 0.9], ['B', 0.1]))).toBe(
    'Ranked again, another verdict: voltage sag on A at 0.90; before voltage sag on B at 0.98',
  );
  expect(notice(view(['B', 0.5], ['A', 0.5]))).toBe(
    'Ranked again: undecided between voltage sag on B and voltage sag on A; before voltage sag on B at 0.98',
  );
  expect(notice()).toBe('Ranked again: this impact is no longer found');
  expect(rankingNotice(before, before, null)).toBeNull();
});
