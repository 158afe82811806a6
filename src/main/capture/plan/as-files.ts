import type { SourceInput } from '../../../model/storage/source.ts';
import type { Nanos } from '../../../model/time.ts';

export interface Answered {
  /** For rejects and messages. */
  readonly name: string;
  readonly bodies: readonly Uint8Array[];
  readonly requestedAt: Nanos;
  /** The machine that the answers speak of where they do not say. */
  readonly device: string | null;
}

/** Answers of a live feed as the files that they would be, so that the importer of their format reads them. */
export function asFiles({ name, bodies, requestedAt, device }: Answered): SourceInput {
  const never = (): never => {
    throw new Error('an answer is no file on disk');
  };
  const files = bodies.map((body, i) => {
    async function* open(): AsyncGenerator<Uint8Array> {
      yield body;
    }
    const path = bodies.length === 1 ? name : `${name}/${i}`;
    return {
      path,
      bytes: body.length,
      captured_ns: requestedAt,
      captured_from: 'given' as const,
      open,
      onDisk: async () => never(),
    };
  });
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield* bodies.slice(0, 1);
  }
  return {
    name,
    chunks: chunks(),
    files,
    assume: { zone: null, device, mapping: null },
    database: async () => never(),
  };
}
