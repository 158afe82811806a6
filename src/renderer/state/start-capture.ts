import type { Problem } from '../../model/problem.ts';
import { problemOf } from '../client/problem-of.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { catchUpWithLive } from './follow-live.ts';
import { forgetCase, showCase } from './shown-case.ts';

/** Starts a capture by a plan, into the open case or a new one. Returns the problem; null: it runs. */
export async function startCapture(plan: string, newCase: boolean): Promise<Problem | null> {
  try {
    await client().call('capture.start', { plan, new_case: newCase });
    const info = await client().call('case.current', {});
    if (info && info.name !== useCase.getState().name) {
      forgetCase();
      await showCase(info);
    }
    useCase.setState({ view: 'timeline' });
    catchUpWithLive();
    return null;
  } catch (error) {
    return problemOf(error);
  }
}
