// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ChainList } from '../../../src/renderer/views/causes/chain-list.tsx';

afterEach(cleanup);

const step = (type: string, seconds: number, cause: number | null) => ({
  ...{ type, device: `${type}-1`, layer: 'gpu', ref: `event:${type}`, summary: '', contradiction: null },
  ...{ time_ns: BigInt(Math.round(seconds * 1e9)), cause, edge_probability: 0.97, undecided: false },
});

test('an effect recorded before its cause is stated in words, with no negative delay', () => {
  const steps = [step('sag', 0, null), step('brake', 10, 0), step('service_degraded', 0, 1)];
  render(<ChainList view={{ steps, incident: { causal_chain: [] } } as never} />);
  expect(screen.getByText(/^\+10\.00 s, 0\.97 likely$/)).toBeDefined();
  const ahead = screen.getByText(/^10\.00 s before 2 was recorded, 0\.97 likely$/);
  expect(ahead.title).toContain('after it began');
  expect(screen.queryByText(/−/)).toBeNull();
});
