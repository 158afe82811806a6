import { loadAll } from 'js-yaml';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { headOf } from '../bytes/head.ts';
import { asObject, rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { wholeText } from '../bytes/whole-file.ts';
import type { Target } from '../kubernetes-objects/objects.ts';
import { isObject, isWatch, KubernetesObjects, listedKind, unwatched } from '../kubernetes-objects/read-objects.ts';

/** YAML has to be read whole; an export of a cluster is far below this. */
const MAX_YAML = 128 * 1024 * 1024;

/** What `kubectl get -o json|yaml` and `kubectl get --watch -o json` write: events, nodes, pods, workloads. */
export const kubernetes: Source = {
  id: 'kubernetes',
  title: 'Kubernetes events, nodes, pods and their workloads (JSON or YAML lists, watch logs)',
  looks_for: 'Kubernetes objects: apiVersion and kind, or lists and watches of them',
  leaves_open: ['time'],
  detect: (head) => isObject(head.object) || isWatch(head.object) || isYaml(head.text),
  read,
};

const isYaml = (text: string): boolean =>
  !/^\s*[{[]/.test(text) &&
  /^apiVersion: *["']?([a-z0-9.-]+\/)?v\d\w*/m.test(text) &&
  /^kind: *["']?[A-Z]\w+/m.test(text);

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const reader = new ObjectReader(input);
  let done = 0;
  for await (const { at: offset, object, listed, reason, excerpt } of objects(input)) {
    done = offset;
    if (reason === undefined) reader.read(object, offset, listed);
    else reader.builder.reject(input.name, offset, reason, excerpt);
    if (reader.builder.rowCount >= BATCH_ROWS) yield reader.builder.finish(offset);
  }
  reader.finish();
  yield reader.builder.finish(done);
}

interface Found {
  readonly at: number;
  readonly object: unknown;
  /** The kind of the items of its list. */
  readonly listed?: string;
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
  const listed = listedKind(head.object);
  for await (const record of jsonRecords(input.chunks, isList ? ['items'] : [])) {
    if (record.reason !== undefined)
      yield { at: record.at, object: null, reason: record.reason, excerpt: record.excerpt };
    // The other members of the list object have no facts about the cluster.
    else if (!isList || record.path === 'items') yield { at: record.at, object: unwatched(record.value), listed };
  }
}

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
        yield { at: offset, object: null, reason: 'YAML aliases that expand to more than the text' };
        continue;
      }
      const { items } = asObject(document);
      if (Array.isArray(items))
        for (const object of items) yield { at: offset, object, listed: listedKind(asObject(document)) };
      else if (document !== null && document !== undefined) yield { at: offset, object: document };
    }
    offset += part.length;
  }
}

/**
 * Whether a document has no more values than characters. With aliases of aliases a few lines expand to billions of
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
  private readonly objects = new KubernetesObjects();

  constructor(input: SourceInput) {
    this.target = { builder: this.builder, file: input.name, captured_ns: input.files[0]?.captured_ns ?? 0n };
  }

  read(value: unknown, offset: number, listed = ''): void {
    const { builder, target } = this;
    const problem = this.objects.append(target, asObject(value), listed);
    if (problem !== '') builder.reject(target.file, offset, problem, rawText(value).slice(0, 500));
  }

  finish(): void {
    for (const [kind, count] of this.objects.others)
      this.builder.remark(`${count} ${kind} left out: only events, nodes, pods and their workloads are read`);
  }
}
