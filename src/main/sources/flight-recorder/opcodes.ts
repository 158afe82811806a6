/** How the argument of an opcode is written: so many bytes, a length of so many bytes and then the data, or lines. */
type Argument = { readonly bytes: 0 | 1 | 2 | 4 | 8 } | { readonly counted: 1 | 4 | 8 } | { readonly lines: 1 | 2 };

export interface Opcode {
  readonly name: string;
  readonly argument: Argument;
  /**
   * `plain` builds plain data and is decoded. `forbidden` names or calls something and never is.
   * `foreign` is plain as well, but no writer of Flight Recorder dumps uses it.
   */
  readonly use: 'plain' | 'forbidden' | 'foreign';
}

const none: Argument = { bytes: 0 };
const plain = (name: string, argument: Argument = none): Opcode => ({ name, argument, use: 'plain' });
const forbidden = (name: string, argument: Argument = none): Opcode => ({ name, argument, use: 'forbidden' });
const foreign = (name: string, argument: Argument = none): Opcode => ({ name, argument, use: 'foreign' });

/** Every opcode of pickle protocols 0 to 5 (CPython Lib/pickletools.py), by its byte. */
export const opcodes: ReadonlyMap<number, Opcode> = new Map([
  [0x80, plain('PROTO', { bytes: 1 })],
  [0x95, plain('FRAME', { bytes: 8 })],
  [0x2e, plain('STOP')],
  [0x28, plain('MARK')],
  [0x4e, plain('NONE')],
  [0x88, plain('NEWTRUE')],
  [0x89, plain('NEWFALSE')],
  [0x4a, plain('BININT', { bytes: 4 })],
  [0x4b, plain('BININT1', { bytes: 1 })],
  [0x4d, plain('BININT2', { bytes: 2 })],
  [0x8a, plain('LONG1', { counted: 1 })],
  [0x47, plain('BINFLOAT', { bytes: 8 })],
  [0x8c, plain('SHORT_BINUNICODE', { counted: 1 })],
  [0x58, plain('BINUNICODE', { counted: 4 })],
  [0x8d, plain('BINUNICODE8', { counted: 8 })],
  [0x5d, plain('EMPTY_LIST')],
  [0x61, plain('APPEND')],
  [0x65, plain('APPENDS')],
  [0x7d, plain('EMPTY_DICT')],
  [0x73, plain('SETITEM')],
  [0x75, plain('SETITEMS')],
  [0x29, plain('EMPTY_TUPLE')],
  [0x74, plain('TUPLE')],
  [0x85, plain('TUPLE1')],
  [0x86, plain('TUPLE2')],
  [0x87, plain('TUPLE3')],
  [0x71, plain('BINPUT', { bytes: 1 })],
  [0x72, plain('LONG_BINPUT', { bytes: 4 })],
  [0x94, plain('MEMOIZE')],
  [0x68, plain('BINGET', { bytes: 1 })],
  [0x6a, plain('LONG_BINGET', { bytes: 4 })],
  [0x63, forbidden('GLOBAL', { lines: 2 })],
  [0x93, forbidden('STACK_GLOBAL')],
  [0x69, forbidden('INST', { lines: 2 })],
  [0x6f, forbidden('OBJ')],
  [0x81, forbidden('NEWOBJ')],
  [0x92, forbidden('NEWOBJ_EX')],
  [0x52, forbidden('REDUCE')],
  [0x62, forbidden('BUILD')],
  [0x82, forbidden('EXT1', { bytes: 1 })],
  [0x83, forbidden('EXT2', { bytes: 2 })],
  [0x84, forbidden('EXT4', { bytes: 4 })],
  [0x50, forbidden('PERSID', { lines: 1 })],
  [0x51, forbidden('BINPERSID')],
  [0x97, forbidden('NEXT_BUFFER')],
  [0x98, forbidden('READONLY_BUFFER')],
  [0x49, foreign('INT', { lines: 1 })],
  [0x4c, foreign('LONG', { lines: 1 })],
  [0x8b, foreign('LONG4', { counted: 4 })],
  [0x53, foreign('STRING', { lines: 1 })],
  [0x54, foreign('BINSTRING', { counted: 4 })],
  [0x55, foreign('SHORT_BINSTRING', { counted: 1 })],
  [0x42, foreign('BINBYTES', { counted: 4 })],
  [0x43, foreign('SHORT_BINBYTES', { counted: 1 })],
  [0x8e, foreign('BINBYTES8', { counted: 8 })],
  [0x96, foreign('BYTEARRAY8', { counted: 8 })],
  [0x56, foreign('UNICODE', { lines: 1 })],
  [0x46, foreign('FLOAT', { lines: 1 })],
  [0x6c, foreign('LIST')],
  [0x64, foreign('DICT')],
  [0x8f, foreign('EMPTY_SET')],
  [0x90, foreign('ADDITEMS')],
  [0x91, foreign('FROZENSET')],
  [0x30, foreign('POP')],
  [0x31, foreign('POP_MARK')],
  [0x32, foreign('DUP')],
  [0x67, foreign('GET', { lines: 1 })],
  [0x70, foreign('PUT', { lines: 1 })],
]);

/** One instruction: its argument's data is `bytes[from .. to)`. */
export interface Instruction {
  readonly opcode: Opcode;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Why a byte sequence is no instruction. */
export interface BrokenInstruction {
  readonly broken: string;
  readonly at: number;
}

/** The instruction at an offset. Lengths are compared with what is left before anything is made of them. */
export function instructionAt(bytes: Uint8Array, at: number): Instruction | BrokenInstruction {
  const opcode = opcodes.get(bytes[at] ?? -1);
  if (!opcode) return { broken: at >= bytes.length ? 'it ends without STOP' : 'unknown opcode', at };
  const start = at + 1;
  const { argument } = opcode;
  if ('bytes' in argument) return within(bytes, opcode, at, start, argument.bytes);
  if ('lines' in argument) {
    let end = start;
    for (let line = 0; line < argument.lines; line++) {
      const feed = bytes.indexOf(0x0a, end);
      if (feed < 0) return { broken: `${opcode.name} runs past the end`, at };
      end = feed + 1;
    }
    return { opcode, at, from: start, to: end };
  }
  if (start + argument.counted > bytes.length) return { broken: `${opcode.name} runs past the end`, at };
  return within(bytes, opcode, at, start + argument.counted, littleEndian(bytes, start, argument.counted));
}

function within(
  bytes: Uint8Array,
  opcode: Opcode,
  at: number,
  from: number,
  length: number,
): Instruction | BrokenInstruction {
  return length <= bytes.length - from
    ? { opcode, at, from, to: from + length }
    : { broken: `${opcode.name} runs past the end`, at };
}

/** Unsigned; beyond 2^53 it is inexact, and far beyond any file. */
export function littleEndian(bytes: Uint8Array, from: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + bytes[from + i]!;
  return value;
}
