import type { FileHead } from '../../../model/storage/source.ts';
import { entryKeys, isMembers, topKeys } from './format.ts';
import { instructionAt } from './opcodes.ts';

const known: ReadonlySet<string> = new Set([...topKeys, ...entryKeys]);
/** Keys that no other program writes. */
const marks = ['pg_config', 'pg_status', 'nccl_comm_state', 'collective_seq_id', 'profiling_name'];
/** Enough of a pickle to see its first keys. */
const MAX_INSTRUCTIONS = 20_000;

export const isPickle = (bytes: Uint8Array): boolean => bytes[0] === 0x80 && bytes[1]! >= 2 && bytes[1]! <= 5;

/** A pickle whose texts hold keys of a dump, or JSON with its members. */
export function detectDump(head: FileHead): boolean {
  if (isPickle(head.bytes)) return pickleLooksRight(head.bytes);
  const { object } = head;
  const entries = object['entries'];
  const [first] = Array.isArray(entries) ? (entries as unknown[]) : [];
  if (isMembers(first)) return count(entryKeys, first) >= 2;
  return count(topKeys, object) >= 3 && ('pg_config' in object || 'pg_status' in object);
}

const count = (keys: readonly string[], object: object): number => keys.filter((key) => key in object).length;

/** Walks instructions without obeying any, so that a pickle which would run code is known as a dump and then refused. */
function pickleLooksRight(bytes: Uint8Array): boolean {
  const seen = new Set<string>();
  let at = 0;
  for (let i = 0; i < MAX_INSTRUCTIONS; i++) {
    const found = instructionAt(bytes, at);
    if ('broken' in found || found.opcode.name === 'STOP') break;
    const { opcode, from, to } = found;
    if (opcode.name.endsWith('UNICODE') && to - from < 40) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
      if (known.has(text)) seen.add(text);
    }
    at = to;
  }
  return seen.size >= 2 && marks.some((mark) => seen.has(mark));
}
