/** Response messages: Export*ServiceResponse with its partial success, which has the same fields for all signals. */
export function responseProtobuf({ rejected, why }: { readonly rejected: number; readonly why: string }): Buffer {
  if (rejected === 0) return Buffer.alloc(0);
  const text = Buffer.from(why);
  const partial = Buffer.concat([
    Buffer.from([0x08]),
    varint(rejected),
    Buffer.from([0x12]),
    varint(text.length),
    text,
  ]);
  return Buffer.concat([Buffer.from([0x0a]), varint(partial.length), partial]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

const rejectedName = { traces: 'rejectedSpans', metrics: 'rejectedDataPoints', logs: 'rejectedLogRecords' } as const;
export type Signal = keyof typeof rejectedName;
export const isSignal = (text: string): text is Signal => Object.hasOwn(rejectedName, text);

export const responseJson = (
  signal: Signal,
  { rejected, why }: { readonly rejected: number; readonly why: string },
): string =>
  JSON.stringify(
    rejected === 0 ? {} : { partialSuccess: { [rejectedName[signal]]: String(rejected), errorMessage: why } },
  );
