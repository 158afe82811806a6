import { loadAll } from 'js-yaml';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { headOf } from '../bytes/head.ts';
import { asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { wholeText } from '../bytes/whole-file.ts';
import { appendEventObject } from './event-object.ts';
import { appendNodeObject } from './node-object.ts';
import type { Target } from './objects.ts';
import { appendPodObject } from './pod-object.ts';

/** YAML has to be read whole; an export of a cluster is far below this. */
const MAX_YAML = 128 * 1024 * 1024;

const appenders: Readonly<Record<string, (target: Target, object: Json) => string>> = {
  Event: appendEventObject,
  Node: appendNodeObject,
  Pod: appendPodObject,
};

/** What `kubectl get -o json|yaml` and `kubectl get --watch -o json` write: events, nodes, pods. */
export const kubernetes: Source = {
  id: 'kubernetes',
  title: 'Kubernetes events, nodes and pods (JSON or YAML lists, watch logs)',
  looks_for: 'Kubernetes objects: apiVersion and kind, or lists and watches of them',
  leaves_open: ['time'],
  detect: (head) => isObject(head.object) || isWatch(head.object) || isYaml(head.text),
  read,
};

const isVersion = (value: unknown): boolean => /^([a-z0-9.-]+\/)?v\d+((alpha|beta)\d+)?$/.test(asText(value));
const isObject = (object: Json): boolean => isVersion(object.apiVersion) && asText(object.kind) !== '';
const isWatch = (object: Json): boolean =>
  /^(ADDED|MODIFIED|DELETED|BOOKMARK|ERROR)$/.test(asText(object.type)) &&
  isVersion(at(object, 'object', 'apiVersion'));
const isYaml = (text: string): boolean =>
  !/^\s*[{[]/.test(text) &&
  /^apiVersion: *["']?([a-z0-9.-]+\/)?v\d\w*/m.test(text) &&
  /^kind: *["']?[A-Z]\w+/m.test(text);

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const reader = new ObjectReader(input);
  let done = 0;
  for await (const { at: offset, object, reason, excerpt } of objects(input)) {
    done = offset;
    if (reason === undefined) reader.read(object, offset);
    else reader.builder.reject(input.name, offset, reason, excerpt);
    if (reader.builder.rowCount >= BATCH_ROWS) yield reader.builder.finish(offset);
  }
  reader.finish();
  yield reader.builder.finish(done);
}

interface Found {
  readonly at: number;
  readonly object: unknown;
  readonly reason?: string | undefined;
  readonly excerpt?: string;
}

/** Every object of the file on its own, lists unpacked. */
async function* objects(input: SourceInput): AsyncGenerator<Found> {
  const [file] = input.files;
  if (!file) return;
  const head = await headOf(file.open());
  if (head.json === undefined) return yield* yamlObjects(input);
  const isList = 'items' in head.object;
  for await (const record of jsonRecords(input.chunks, isList ? ['items'] : [])) {
    if (record.reason !== undefined)
      yield { at: record.at, object: null, reason: record.reason, excerpt: record.excerpt };
    // The members of the list object around its items tell nothing of the cluster.
    else if (!isList || record.path === 'items') yield { at: record.at, object: unwatched(record.value) };
  }
}

const unwatched = (value: unknown): unknown => (isWatch(asObject(value)) ? asObject(value).object : value);

async function* yamlObjects(input: SourceInput): AsyncGenerator<Found> {
  const text = await wholeText(input.chunks, input.name, MAX_YAML);
  // Document by document, so that one that is broken or cut off costs only itself.
  let offset = 0;
  for (const part of text.split(/^---.*$/m)) {
    let documents: unknown[] = [];
    try {
      documents = loadAll(part) as unknown[];
    } catch (error) {
      const reason = `malformed YAML: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
      yield { at: offset, object: null, reason, excerpt: part.slice(0, 500) };
    }
    for (const document of documents) {
      if (!isWrittenOut(document, part.length)) {
        yield { at: offset, object: null, reason: 'YAML aliases that stand for more than is written' };
        continue;
      }
      const { items } = asObject(document);
      if (Array.isArray(items)) for (const object of items) yield { at: offset, object };
      else if (document !== null && document !== undefined) yield { at: offset, object: document };
    }
    offset += part.length;
  }
}

/**
 * Whether a document has no more values than characters. With aliases of aliases a few lines stand for billions of
 * values, which nothing may walk through or write out again; Kubernetes writes no aliases at all.
 */
function isWrittenOut(document: unknown, characters: number): boolean {
  const waiting = [document];
  for (let values = 0; waiting.length > 0; values++) {
    if (values + waiting.length > characters + 1) return false;
    const value = waiting.pop();
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) waiting.push(inner);
  }
  return true;
}

class ObjectReader {
  readonly builder = new BatchBuilder();
  private readonly target: Target;
  private readonly others = new Map<string, number>();
  private readonly seen = new Map<string, string>();

  constructor(input: SourceInput) {
    this.target = { builder: this.builder, file: input.name, captured_ns: input.files[0]?.captured_ns ?? 0n };
  }

  read(value: unknown, offset: number): void {
    const object = asObject(value);
    const { builder, target } = this;
    const kind = asText(object.kind) || guessKind(object);
    const append = Object.hasOwn(appenders, kind) ? appenders[kind] : undefined;
    if (!append) {
      if (kind === '') builder.reject(target.file, offset, 'no Kubernetes object', rawText(value).slice(0, 500));
      else this.others.set(kind, (this.others.get(kind) ?? 0) + 1);
      return;
    }
    if (this.isOld(kind, object)) return;
    const problem = append(target, object);
    if (problem !== '') builder.reject(target.file, offset, problem, rawText(object).slice(0, 500));
  }

  /** A watch repeats an object with every change; the same version of it says nothing new. */
  private isOld(kind: string, object: Json): boolean {
    const uid = asText(at(object, 'metadata', 'uid'));
    const version = asText(at(object, 'metadata', 'resourceVersion'));
    if (uid === '' || version === '') return false;
    const key = `${kind} ${uid}`;
    const old = this.seen.get(key) === version;
    if (this.seen.size > 200_000) this.seen.clear();
    this.seen.set(key, version);
    return old;
  }

  finish(): void {
    for (const [kind, count] of this.others)
      this.builder.remark(`${count} ${kind} left out: only events, nodes and pods are read`);
  }
}

/** Items of a typed list do not repeat their kind. */
function guessKind(object: Json): string {
  if ('involvedObject' in object || 'regarding' in object) return 'Event';
  if (Array.isArray(at(object, 'spec', 'containers'))) return 'Pod';
  return at(object, 'status', 'nodeInfo') === undefined ? '' : 'Node';
}
