import type { SourceFile } from '../../../model/storage/source.ts';
import { rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { isObject, type Json, normalizeId, objectsOf, textOf, typeOf } from './format.ts';

export interface Resource {
  /** Normalised address; for a document without one, its file. */
  readonly id: string;
  readonly type: string;
  readonly doc: Json;
  /** Where it was read, for rejects. */
  readonly file: Pick<SourceFile, 'path'>;
  /** When a live feed requested it; undefined: when the tree was recorded. */
  readonly time_ns?: bigint | undefined;
}

/** Documents that a tree cannot take: shown to the investigator, not fatal. */
export interface TreeProblems {
  reject(file: string, at: number, reason: string, excerpt: string): void;
  remark(text: string): void;
}

type Origin = Pick<Resource, 'file' | 'time_ns'>;

/** Of resources that several files contain. */
const MOST_NAMED = 20;
const MAX_DEPTH = 12;
const TOO_DEEP = `nested too deeply: more than ${MAX_DEPTH} levels of objects are not read`;
/** A rack of GB300 has twenty thousand. */
const MAX_RESOURCES = 300_000;

/** All resources of a tree by address, whatever files they lie in and in whatever order these are read. */
export class ResourceTree {
  private readonly byId = new Map<string, Resource>();
  private readonly listed = new Map<string, readonly Resource[]>();
  /** Messages of an EventService. */
  readonly payloads: Resource[] = [];
  bytes = 0;
  /** Resources for which there was no room. */
  leftOut = 0;
  private repeats = 0;
  /** When a live feed requested resources. */
  readonly requestTimes = new Set<bigint>();

  private readonly most: number;

  /** @param most resources that it stores; more are only counted */
  constructor(most = MAX_RESOURCES) {
    this.most = most;
  }

  async load(files: readonly SourceFile[], problems: TreeProblems): Promise<void> {
    for (const file of files) {
      for await (const record of jsonRecords(this.counted(file))) {
        if (record.reason !== undefined) problems.reject(file.path, record.at, record.reason, record.excerpt);
        else if (isObject(record.value)) this.addDocument(record.value, file, problems);
        else problems.reject(file.path, record.at, 'not a resource', rawText(record.value));
      }
    }
    if (this.repeats > MOST_NAMED)
      problems.remark(`several files hold ${this.repeats - MOST_NAMED} other resources: the first of each is used`);
    if (this.leftOut > 0)
      problems.remark(
        `the tree has ${this.leftOut} resources more than the ${this.most} that are read: they are left out`,
      );
  }

  private async *counted(file: SourceFile): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.open()) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }

  /** @param time_ns when it was requested, if the documents of a tree were not recorded at once */
  addDocument(doc: Json, file: Resource['file'], problems: TreeProblems, time_ns?: bigint): void {
    const origin = { file, time_ns };
    if (time_ns !== undefined) this.requestTimes.add(time_ns);
    if (objectsOf(doc['Events']).length > 0) this.payloads.push({ id: file.path, type: 'Event', doc, ...origin });
    else if (textOf(doc['@odata.id']) === '') {
      this.byId.set(`file:${file.path}`, { id: `file:${file.path}`, type: typeOf(doc), doc, ...origin });
      this.harvest(doc, origin, problems, 0);
    } else this.add(doc, origin, problems, 0);
  }

  /** A resource, and those that are expanded inside it. Of two copies the one with more members is kept. */
  private add(doc: Json, origin: Origin, problems: TreeProblems, depth: number): void {
    const id = normalizeId(textOf(doc['@odata.id']));
    const known = this.byId.get(id);
    if (!known && this.byId.size >= this.most) this.leftOut++;
    else if (!known || size(doc) > size(known.doc)) this.byId.set(id, { id, type: typeOf(doc), doc, ...origin });
    else if (known.file !== origin.file && size(doc) === size(known.doc) && !same(doc, known.doc))
      this.repeated(id, problems);
    this.harvest(doc, origin, problems, depth);
  }

  private repeated(id: string, { remark }: TreeProblems): void {
    if (++this.repeats <= MOST_NAMED) remark(`several files hold ${id}: the first is used`);
  }

  private harvest(doc: Json, origin: Origin, problems: TreeProblems, depth: number): void {
    for (const value of Object.values(doc)) {
      for (const inner of Array.isArray(value) ? value : [value]) {
        if (!isObject(inner)) continue;
        if (depth >= MAX_DEPTH) return problems.reject(origin.file.path, 0, TOO_DEEP, rawText(inner));
        const id = inner['@odata.id'];
        const isResource = typeof id === 'string' && !id.includes('#') && '@odata.type' in inner && size(inner) > 2;
        if (isResource) this.add(inner, origin, problems, depth + 1);
        else this.harvest(inner, origin, problems, depth + 1);
      }
    }
  }

  get(id: string): Resource | undefined {
    return this.byId.get(id.replace(/#.*$/, ''));
  }

  /** Of one type, in the order of their addresses; pending settings are left out. */
  ofType(...types: readonly string[]): readonly Resource[] {
    const key = types.join();
    let list = this.listed.get(key);
    if (!list) {
      list = [...this.byId.values()]
        .filter(({ type, id }) => types.includes(type) && !id.endsWith('/Settings'))
        .sort((a, b) => compareIds(a.id, b.id));
      this.listed.set(key, list);
    }
    return list;
  }

  get size(): number {
    return this.byId.size;
  }
}

const size = (doc: Json): number => Object.keys(doc).length;

function same(a: Json, b: Json): boolean {
  try {
    return JSON.stringify(a) === JSON.stringify(b);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Created on first use: it takes 8 to 28 ms, which every thread of every import would wait for. */
let numbers: Intl.Collator | undefined;
/** `…/2` before `…/10`. */
export function compareIds(a: string, b: string): number {
  numbers ??= new Intl.Collator('en', { numeric: true });
  return numbers.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
