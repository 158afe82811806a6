import { asObject, asText, at, type Json } from '../bytes/json-access.ts';
import { appendEventObject } from './event-object.ts';
import { appendNodeObject } from './node-object.ts';
import { type Target, workloads } from './objects.ts';
import { appendPodObject } from './pod-object.ts';
import { appendScalerObject } from './scaler-object.ts';
import { appendWorkloadObject } from './workload-object.ts';

const appenders: Readonly<Record<string, (target: Target, object: Json) => string>> = {
  Event: appendEventObject,
  Node: appendNodeObject,
  Pod: appendPodObject,
  HorizontalPodAutoscaler: appendScalerObject,
  ...Object.fromEntries([...workloads].map((kind) => [kind, appendWorkloadObject])),
};
const MOST_KNOWN = 200_000;

const isVersion = (value: unknown): boolean => /^([a-z0-9.-]+\/)?v\d+((alpha|beta)\d+)?$/.test(asText(value));
export const isObject = (object: Json): boolean => isVersion(object.apiVersion) && asText(object.kind) !== '';
export const isWatch = (object: Json): boolean =>
  /^(ADDED|MODIFIED|DELETED|BOOKMARK|ERROR)$/.test(asText(object.type)) &&
  isVersion(at(object, 'object', 'apiVersion'));

/** Adds the facts of Kubernetes objects, one at a time; objects without a meaning here are counted. */
export class KubernetesObjects {
  /** Left out, by kind. */
  readonly others = new Map<string, number>();
  private readonly seen = new Map<string, string>();

  /**
   * @param listed the kind of the items of the list that it is in; '' unknown
   * @returns why the object cannot be kept, or ''
   */
  append(target: Target, object: Json, listed = ''): string {
    const kind = asText(object.kind) || listed || guessKind(object);
    const append = Object.hasOwn(appenders, kind) ? appenders[kind] : undefined;
    if (append) return this.isOld(kind, object) ? '' : append(target, object);
    if (kind === '') return 'no Kubernetes object';
    this.others.set(kind, (this.others.get(kind) ?? 0) + 1);
    return '';
  }

  /** A watch repeats an object with every change; the same version has no new facts. */
  private isOld(kind: string, object: Json): boolean {
    const uid = asText(at(object, 'metadata', 'uid'));
    const version = asText(at(object, 'metadata', 'resourceVersion'));
    if (uid === '' || version === '') return false;
    const key = `${kind} ${uid}`;
    const old = this.seen.get(key) === version;
    if (this.seen.size > MOST_KNOWN) this.seen.clear();
    this.seen.set(key, version);
    return old;
  }
}

/** `NodeList` states the kind of its items, which do not repeat it; '' for any other list. */
export function listedKind(list: Json): string {
  const kind = /^(\w{1,100})List$/.exec(asText(list.kind))?.[1] ?? '';
  return Object.hasOwn(appenders, kind) ? kind : '';
}

/** Of an item whose list is not known. */
function guessKind(object: Json): string {
  if ('involvedObject' in object || 'regarding' in object) return 'Event';
  if (Array.isArray(at(object, 'spec', 'containers'))) return 'Pod';
  return at(object, 'status', 'nodeInfo') === undefined ? '' : 'Node';
}

export const unwatched = (value: unknown): unknown => (isWatch(asObject(value)) ? asObject(value).object : value);
