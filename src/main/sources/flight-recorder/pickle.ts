import { fail } from '../../../model/problem.ts';
import { instructionAt, littleEndian, type Opcode } from './opcodes.ts';

/** What a pickle may hold here. Objects have no prototype. */
export type PlainValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

type Value = null | boolean | number | bigint | string | Value[] | { [key: string]: Value };

/** Containers inside containers; dumps nest five deep. */
const MAX_DEPTH = 32;
/** Marks that may be open at once: at most one per container being filled. */
const MAX_MARKS = 64;
/** Bytes of one integer; dumps need eight. */
const MAX_INTEGER = 16;

/**
 * Decodes a pickle that builds plain data, and nothing else. This is an allow-list: an opcode that imports, calls or
 * instantiates anything is refused by name, whatever its operands are. Nothing here recurses, every length is checked
 * against the bytes that are left, and what is built is never larger than the bytes it was built from.
 * @throws ProblemError pickle.forbidden, pickle.unsupported, pickle.malformed
 */
export function decodePickle(bytes: Uint8Array, name: string): PlainValue {
  return new Decoder(bytes, name).run();
}

class Decoder {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly name: string;
  private readonly stack: Value[] = [];
  private readonly marks: number[] = [];
  private readonly memo = new Map<number, Value>();
  /** How deep what a container holds nests. */
  private readonly depths = new WeakMap<object, number>();
  /** Containers that lie in another one: they are complete, so nothing can ever hold itself. */
  private readonly placed = new WeakSet<object>();
  private readonly text = new TextDecoder();
  private at = 0;

  constructor(bytes: Uint8Array, name: string) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.name = name;
  }

  run(): PlainValue {
    for (;;) {
      const found = instructionAt(this.bytes, this.at);
      if ('broken' in found) return this.malformed(found.broken);
      const { opcode, from, to } = found;
      if (opcode.use !== 'plain') return this.refuse(opcode);
      if (opcode.name === 'STOP') return this.pop();
      this.step(opcode.name, from, to);
      this.at = to;
    }
  }

  private step(opcode: string, from: number, to: number): void {
    if (this.constant(opcode, from, to) || this.memory(opcode, from) || this.container(opcode)) return;
    if (opcode === 'FRAME') {
      if (littleEndian(this.bytes, from, 8) > this.bytes.length - to) this.malformed('FRAME runs past the end');
    } else if (opcode === 'PROTO') {
      if (this.bytes[from]! > 5) this.malformed(`protocol ${this.bytes[from]}`);
    } else this.malformed(`${opcode} is not implemented`);
  }

  /** Values without arguments. */
  private constant(opcode: string, from: number, to: number): boolean {
    const { view, stack } = this;
    switch (opcode) {
      case 'NONE':
        return stack.push(null) > 0;
      case 'NEWTRUE':
      case 'NEWFALSE':
        return stack.push(opcode === 'NEWTRUE') > 0;
      case 'BININT':
        return stack.push(view.getInt32(from, true)) > 0;
      case 'BININT1':
      case 'BININT2':
        return stack.push(littleEndian(this.bytes, from, to - from)) > 0;
      case 'LONG1':
        return stack.push(this.integer(from, to)) > 0;
      case 'BINFLOAT':
        return stack.push(view.getFloat64(from, false)) > 0;
      case 'SHORT_BINUNICODE':
      case 'BINUNICODE':
      case 'BINUNICODE8':
        return stack.push(this.text.decode(this.bytes.subarray(from, to))) > 0;
      default:
        return false;
    }
  }

  private memory(opcode: string, from: number): boolean {
    switch (opcode) {
      case 'BINPUT':
      case 'LONG_BINPUT':
        this.memo.set(littleEndian(this.bytes, from, opcode === 'BINPUT' ? 1 : 4), this.top());
        return true;
      case 'MEMOIZE':
        this.memo.set(this.memo.size, this.top());
        return true;
      case 'BINGET':
      case 'LONG_BINGET': {
        const value = this.memo.get(littleEndian(this.bytes, from, opcode === 'BINGET' ? 1 : 4));
        this.stack.push(value === undefined ? this.malformed('it reads a memo that was never written') : value);
        return true;
      }
      default:
        return false;
    }
  }

  private container(opcode: string): boolean {
    switch (opcode) {
      case 'MARK':
        if (this.marks.length >= MAX_MARKS) this.malformed('nested too deeply');
        return this.marks.push(this.stack.length) > 0;
      case 'EMPTY_LIST':
      case 'EMPTY_TUPLE':
        return this.stack.push([]) > 0;
      case 'EMPTY_DICT':
        return this.stack.push(Object.create(null) as { [key: string]: Value }) > 0;
      case 'TUPLE':
        return this.tuple(this.toMark());
      case 'TUPLE1':
      case 'TUPLE2':
      case 'TUPLE3':
        return this.tuple(this.take(Number(opcode.at(-1))));
      case 'APPEND':
        return this.extend(this.take(1));
      case 'APPENDS':
        return this.extend(this.toMark());
      case 'SETITEM':
        return this.assign(this.take(2));
      case 'SETITEMS':
        return this.assign(this.toMark());
      default:
        return false;
    }
  }

  private tuple(items: Value[]): true {
    this.stack.push(items);
    for (const item of items) this.nest(items, item);
    return true;
  }

  private extend(items: readonly Value[]): true {
    const list = this.top();
    if (!Array.isArray(list)) return this.malformed('it appends to something that is no list');
    for (const item of items) {
      this.nest(list, item);
      list.push(item);
    }
    return true;
  }

  private assign(items: readonly Value[]): true {
    const object = this.top();
    if (typeof object !== 'object' || object === null || Array.isArray(object))
      return this.malformed('it sets a key of something that is no dictionary');
    if (items.length % 2 !== 0) return this.malformed('a dictionary has a key without a value');
    for (let i = 0; i < items.length; i += 2) {
      const key = items[i];
      if (typeof key === 'object') return this.malformed('a dictionary has a key that is no text or number');
      this.nest(object, items[i + 1] as Value);
      object[String(key)] = items[i + 1] as Value;
    }
    return true;
  }

  /** Two's complement, little-endian: a number where it fits exactly. */
  private integer(from: number, to: number): number | bigint {
    if (to - from > MAX_INTEGER) return this.malformed(`an integer of ${to - from} bytes`);
    let value = 0n;
    for (let i = to - 1; i >= from; i--) value = (value << 8n) | BigInt(this.bytes[i]!);
    const signed = BigInt.asIntN((to - from) * 8, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  }

  /**
   * Places a value in a container, which must not lie in another one yet: writers fill a container before they place
   * it. So depths are exact, and no later walk can run in circles or exhaust the stack.
   */
  private nest(parent: object, child: Value): void {
    if (this.placed.has(parent)) this.malformed('it changes a value that is complete');
    if (typeof child !== 'object' || child === null) return;
    const depth = (this.depths.get(child) ?? 0) + 1;
    if (child === parent || depth > MAX_DEPTH) this.malformed('nested too deeply');
    if (depth > (this.depths.get(parent) ?? 0)) this.depths.set(parent, depth);
    this.placed.add(child);
  }

  private top(): Value {
    const value = this.stack.at(-1);
    return value === undefined || this.stack.length <= (this.marks.at(-1) ?? 0)
      ? this.malformed('it uses a value that is not there')
      : value;
  }

  private pop(): Value {
    const value = this.top();
    this.stack.pop();
    return value;
  }

  private take(count: number): Value[] {
    if (this.stack.length - (this.marks.at(-1) ?? 0) < count)
      return this.malformed('it uses a value that is not there');
    return this.stack.splice(this.stack.length - count, count);
  }

  private toMark(): Value[] {
    const mark = this.marks.pop();
    return mark === undefined ? this.malformed('a MARK is missing') : this.stack.splice(mark);
  }

  private refuse({ name, use }: Opcode): never {
    return use === 'forbidden'
      ? fail('pickle.forbidden', `${this.name} is a pickle that would run code (${name} at byte ${this.at})`, {
          place: this.name,
          hint: 'a Flight Recorder dump holds plain data only: do not open this file with anything that unpickles it',
        })
      : fail('pickle.unsupported', `${this.name} uses the pickle opcode ${name}, which no dump has`, {
          place: this.name,
        });
  }

  private malformed(reason: string): never {
    return fail('pickle.malformed', `${this.name} is not a sound pickle: ${reason} (byte ${this.at})`, {
      place: this.name,
      hint: 'the file may be cut off; fetch it again',
    });
  }
}
