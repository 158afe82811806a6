import { investigate } from '../src/core/analysis/correlate.ts';
import { createReader } from '../src/core/store/facts/reader.ts';
import { ReaderMemory } from '../src/core/store/facts/reader-memory.ts';
import { correlateOptionsSchema } from '../src/model/incident/incident-schema.ts';
import type { WhatIf } from '../src/model/incident/what-if.ts';
import { whatIfSchema } from '../src/model/incident/what-if-schema.ts';
import { crowdedCase } from './correlate.ts';
import { print, timed, within } from './figures.ts';

const suppositions: Readonly<Record<string, Partial<WhatIf>>> = {
  'a layer dropped': { without_layers: ['server'] },
  'an event excluded': { without_events: ['e749000'] },
  'a clock shifted': { clock_shifts: [{ source: 'bench', seconds: 2 }] },
  'a feed moved': { moved_feeds: [{ to: 'server-0', from: 'pdu-7', instead_of: null }] },
};

/** One incident of a million events judged anew, by what was read when it was judged first. */
export async function benchWhatIf(): Promise<void> {
  const { session, close } = await crowdedCase();
  const options = correlateOptionsSchema.parse({});
  const memory = new ReaderMemory();
  const reader = memory.over(createReader(session));
  const { conclusions } = await investigate(reader, options);
  const [first] = conclusions;
  if (!first) throw new Error('the case has no incident');
  const only = new Set([first.incident.id]);
  const plain = await timed(() => investigate(reader, options, { only }));
  print('what-if: the same once more, nothing read', `${Math.round(plain.ms)} ms`, 'one incident of 1 M events');
  for (const [what, supposition] of Object.entries(suppositions)) {
    const whatIf = whatIfSchema.parse(supposition);
    const { ms } = await timed(() => investigate(reader, options, { only, whatIf }));
    print(`what-if: ${what}`, `${Math.round(ms)} ms`, within(ms, 1000, 'ms'));
  }
  await close();
}
