import type { Api, CallContext, FileHandle, Host, ImportEvent } from '../../src/model/contract/index.ts';
import { fail } from '../../src/model/problem.ts';

/** An Api of a few answers: enough to see every kind of value and failure cross, and nothing of the product. */
export function createSampleApi(host: Host) {
  const streams = { running: 0, aborted: 0 };
  const calls: string[] = [];
  const answers: Partial<Api> = {
    'app.info': async () => ({ name: 'faultline', version: '0.0.0', host: 'electron', abilities: [], formats: [] }),
    'files.pick': async ({ purpose }) => (await host.pickFiles(purpose)).map(named),
    'files.save': async ({ suggested_name, content }) => ({
      saved: (await host.saveFile(suggested_name, content))?.name ?? null,
    }),
    'case.open': async () => fail('case.newer_schema', 'This case is newer than this Faultline.', { hint: 'Update.' }),
    'case.close': async () => {
      throw new TypeError('a bug');
    },
    'timeline.overview': async () => ({
      events: Int32Array.of(1, -2),
      spans: Int32Array.of(),
      logs: Int32Array.of(7),
    }),
    'import.run': (_input, context) => endless(streams, context),
  };
  const api = new Proxy(answers, {
    get(known, name) {
      calls.push(String(name));
      return known[name as keyof Api] ?? (() => fail('test.unanswered', `${String(name)} has no sample answer.`));
    },
  }) as Api;
  return { api, streams, calls };
}

const named = (path: string): FileHandle => ({ handle: 'sample', name: path, bytes: 0 });

async function* endless(
  streams: { running: number; aborted: number },
  context?: CallContext,
): AsyncGenerator<ImportEvent> {
  streams.running++;
  try {
    for (let imported = 0; !context?.signal?.aborted; imported++) {
      yield { kind: 'done', imported, failed: 0, skipped: 0 };
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    streams.aborted++;
  } finally {
    streams.running--;
  }
}
