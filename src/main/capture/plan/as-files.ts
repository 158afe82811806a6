import type { SourceInput } from '../../../model/storage/source.ts';
import type { Nanos } from '../../../model/time.ts';

export interface Answered {
  /** For rejects and messages. */
  readonly name: string;
  readonly bodies: readonly Uint8Array[];
  readonly requestedAt: Nanos;
  /** Device of records that name none. */
  readonly device: string | null;
}

/** Wraps responses of a live feed as files, so that the importer of their format can read them. */
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
