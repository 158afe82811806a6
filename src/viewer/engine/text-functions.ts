import type { DuckDBBindings, DuckDBRuntime } from '@duckdb/duckdb-wasm/blocking';
import { Utf8 } from 'apache-arrow';

/** A function of texts that SQL may call; NULL is null. */
export type TextFunction = (...texts: (string | null)[]) => string | null;

/** The engine's memory; views of it are only good until it grows. */
interface Memory {
  readonly HEAPU8: Uint8Array;
  readonly HEAPF64: Float64Array;
  _malloc(bytes: number): number;
  _free(address: number): void;
}

const WORD_BYTES = 8;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The library's runtime with a call of functions that gives texts back: its own (1.33.1-dev65) writes where in a buffer each
 * text begins, while the engine takes that for an address. Pointers and lengths cross as doubles.
 */
export function withTextFunctions(runtime: DuckDBRuntime): DuckDBRuntime {
  // The engine copies an answer before it asks for the next: only then is its memory given back.
  let spent: number[] = [];
  return {
    ...runtime,
    callScalarUDF: (module, response, id, descriptionAt, descriptionBytes, pointersAt) => {
      const memory = module as unknown as Memory;
      for (const address of spent) memory._free(address);
      spent = [];
      const allocate = (bytes: number, isRetained: boolean): number => {
        const address = memory._malloc(Math.max(bytes, WORD_BYTES));
        if (isRetained) spent.push(address);
        return address;
      };
      const answer = (status: number, address: number, bytes: number) =>
        memory.HEAPF64.set([status, address, bytes], response / WORD_BYTES);
      try {
        const call = runtime._udfFunctions.get(id);
        if (!call) throw new Error(`there is no function ${id}`);
        const description = readDescription(memory, descriptionAt, descriptionBytes);
        const columns = description.args.map((argument) => readTexts(memory, argument, pointersAt, description.rows));
        const texts = Array.from({ length: description.rows }, (_, row) =>
          (call.func as TextFunction)(...columns.map((column) => column[row] ?? null)),
        );
        answer(0, writeTexts(memory, texts, allocate), 0);
      } catch (error) {
        const message = encoder.encode(error instanceof Error ? error.message : String(error));
        const address = allocate(message.length, false);
        memory.HEAPU8.set(message, address);
        answer(1, address, message.length);
      }
    },
  };
}

interface Argument {
  readonly physicalType: string;
  /** Places of addresses among the pointers. */
  readonly validityBuffer?: number;
  readonly dataBuffer: number;
  readonly lengthBuffer: number;
}

const readDescription = (memory: Memory, at: number, bytes: number) =>
  JSON.parse(decoder.decode(memory.HEAPU8.slice(at, at + bytes))) as {
    readonly rows: number;
    readonly args: readonly Argument[];
  };

function readTexts(memory: Memory, argument: Argument, pointersAt: number, rows: number): (string | null)[] {
  if (argument.physicalType !== 'VARCHAR') throw new Error(`a text is wanted, not ${argument.physicalType}`);
  const pointer = (place: number): number => memory.HEAPF64[pointersAt / WORD_BYTES + place]!;
  const valid = argument.validityBuffer === undefined ? null : pointer(argument.validityBuffer);
  const data = pointer(argument.dataBuffer) / WORD_BYTES;
  const lengths = pointer(argument.lengthBuffer) / WORD_BYTES;
  return Array.from({ length: rows }, (_, row) => {
    if (valid !== null && memory.HEAPU8[valid + row] === 0) return null;
    const at = memory.HEAPF64[data + row]!;
    return decoder.decode(memory.HEAPU8.subarray(at, at + memory.HEAPF64[lengths + row]!));
  });
}

/** @returns the address of those of the texts' addresses, validity and lengths; the engine frees the last two of these */
function writeTexts(
  memory: Memory,
  texts: readonly (string | null)[],
  allocate: (bytes: number, isRetained: boolean) => number,
): number {
  const encoded = texts.map((text) => encoder.encode(text ?? ''));
  const bytes = allocate(
    encoded.reduce((sum, one) => sum + one.length, 0),
    true,
  );
  const addresses = allocate(texts.length * WORD_BYTES, true);
  const lengths = allocate(texts.length * WORD_BYTES, true);
  const valid = allocate(texts.length, false);
  const answer = allocate(3 * WORD_BYTES, false);
  let at = bytes;
  for (const [row, one] of encoded.entries()) {
    memory.HEAPU8.set(one, at);
    memory.HEAPF64[addresses / WORD_BYTES + row] = at;
    memory.HEAPF64[lengths / WORD_BYTES + row] = one.length;
    memory.HEAPU8[valid + row] = texts[row] === null ? 0 : 1;
    at += one.length;
  }
  memory.HEAPF64.set([addresses, valid, lengths], answer / WORD_BYTES);
  return answer;
}

/** Makes functions known to every connection. */
export function registerTextFunctions(
  bindings: DuckDBBindings,
  functions: Readonly<Record<string, TextFunction>>,
): void {
  const connection = bindings.connect();
  for (const [name, call] of Object.entries(functions)) connection.createScalarFunction(name, new Utf8(), call);
  connection.close();
}
