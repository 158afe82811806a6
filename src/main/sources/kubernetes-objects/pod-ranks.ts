import { asList, asObject, asText, at, type Json } from '../bytes/json-access.ts';

/** The ranks of a distributed job that a pod holds. */
export interface PodRanks {
  readonly ranks: readonly number[];
  /** The job that the labels name, without its namespace; '': the controller of the pod is the job. */
  readonly job: string;
  /** The Job of a JobSet within which alone the ranks are numbered; '': they are numbered across all of `job`. */
  readonly part: string;
}

/** Labels with the name of the training job, in this order: Kubeflow, JobSet, Volcano, Ray, LeaderWorkerSet. */
const jobLabels = [
  'training.kubeflow.org/job-name',
  'jobset.sigs.k8s.io/jobset-name',
  'volcano.sh/job-name',
  'ray.io/cluster',
  'leaderworkerset.sigs.k8s.io/name',
  'batch.kubernetes.io/job-name',
  'job-name',
];
const jobSet = 'jobset.sigs.k8s.io';
const jobOfSet = ['batch.kubernetes.io/job-name', 'job-name'];
/** Variables with the number of the pod in its job, as operators set them; torchrun's own are NODE_RANK and GROUP_RANK. */
const podNumberVariables = ['PET_NODE_RANK', 'NODE_RANK', 'GROUP_RANK', 'RANK'];
const processesVariables = ['PET_NPROC_PER_NODE', 'NPROC_PER_NODE'];
const completionIndex = 'batch.kubernetes.io/job-completion-index';
const MOST_PROCESSES = 64;

/**
 * Ranks of a pod by what operators write into it: the environment, else the index in its job. A pod of several GPUs that does not
 * state its number of processes has unknown ranks.
 * Sources: https://www.kubeflow.org/docs/components/trainer/legacy-v1/, https://pytorch.org/docs/stable/elastic/run.html,
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
 */
export function ranksOfPod(pod: Json): PodRanks | undefined {
  const environment = environmentOf(pod);
  const labels = asObject(at(pod, 'metadata', 'labels'));
  const labelled = (names: readonly string[]): string =>
    names.map((label) => asText(labels[label])).find((name) => name !== '') ?? '';
  const podNumber = podNumberOf(environment, pod);
  const processes = processesOf(environment, pod);
  if (podNumber === undefined || processes === undefined) return undefined;
  const ranks = Array.from({ length: processes }, (_, i) => podNumber * processes + i);
  return { ranks, job: labelled(jobLabels), part: isOfPart(environment, labels) ? labelled(jobOfSet) : '' };
}

/**
 * Whether pods are numbered within one of several Jobs of a JobSet: by their completion index, which begins at 0 in each.
 * Earlier versions label no number of all Jobs.
 * Source: https://jobset.sigs.k8s.io/docs/concepts/ (labels)
 */
function isOfPart(environment: ReadonlyMap<string, string>, labels: Json): boolean {
  const stated = (label: string): string => asText(labels[`${jobSet}/${label}`]);
  const isOneOfSeveral =
    stated('global-replicas') === ''
      ? !['', '1'].includes(stated('replicatedjob-replicas')) || /^[1-9]/.test(stated('job-global-index'))
      : stated('global-replicas') !== '1';
  return (
    stated('jobset-name') !== '' &&
    isOneOfSeveral &&
    podNumberVariables.every((name) => wholeNumber(environment.get(name)) === undefined)
  );
}

function environmentOf(pod: Json): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const container of asList(at(pod, 'spec', 'containers')))
    for (const one of asList(asObject(container).env)) {
      const { name, value, valueFrom } = asObject(one);
      const text = asText(value) || fieldOf(pod, asText(at(asObject(valueFrom), 'fieldRef', 'fieldPath')));
      if (asText(name) !== '' && text !== '') values.set(asText(name), text);
    }
  return values;
}

/** Numbers of a part of a JobSet only. */
const ofParts: readonly string[] = [completionIndex, `${jobSet}/job-index`];

/** `metadata.labels['KEY']`: what the downward API writes for it; '': nothing, or the number within a part. */
function fieldOf(pod: Json, path: string): string {
  const [, of, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
  return of === undefined || ofParts.includes(key!) ? '' : asText(at(pod, 'metadata', of, key!));
}

/** Labels and annotations that number the pods of a job: of Job, Kubeflow, LeaderWorkerSet, Volcano, StatefulSet. */
const places: readonly (readonly string[])[] = [
  [completionIndex],
  ['training.kubeflow.org/replica-type', 'training.kubeflow.org/replica-index'],
  ['leaderworkerset.sigs.k8s.io/group-index', 'leaderworkerset.sigs.k8s.io/worker-index'],
  ['volcano.sh/task-spec', 'volcano.sh/task-index'],
  ['apps.kubernetes.io/pod-index'],
];

/** What separates a pod from the others of its job, and stays when it is started anew; '': nothing is stated. */
export function placeOfPod(pod: Json): string {
  const stated = { ...asObject(at(pod, 'metadata', 'annotations')), ...asObject(at(pod, 'metadata', 'labels')) };
  const found = places.map((keys) => keys.map((key) => asText(stated[key]))).find((one) => !one.includes(''));
  return found?.join(' ') ?? String(podNumberOf(environmentOf(pod), pod) ?? '');
}

function podNumberOf(environment: ReadonlyMap<string, string>, pod: Json): number | undefined {
  const labels = asObject(at(pod, 'metadata', 'labels'));
  for (const name of podNumberVariables) {
    const stated = wholeNumber(environment.get(name));
    if (stated !== undefined) return stated;
  }
  const completion =
    wholeNumber(asText(at(pod, 'metadata', 'annotations', completionIndex))) ??
    wholeNumber(asText(labels[completionIndex]));
  if (completion !== undefined) return completion;
  const replica = wholeNumber(asText(labels['training.kubeflow.org/replica-index']));
  if (replica === undefined) return undefined;
  // Beside a master, which is rank 0, worker 0 is rank 1; the address of the master shows whether there is one.
  const isWorker = asText(labels['training.kubeflow.org/replica-type']).toLowerCase() === 'worker';
  return replica + (isWorker && /-master-\d+/.test(environment.get('MASTER_ADDR') ?? '') ? 1 : 0);
}

/** Processes of the job in one pod; undefined: not stated, and several GPUs leave it open. */
function processesOf(environment: ReadonlyMap<string, string>, pod: Json): number | undefined {
  const gpus = gpusOf(pod);
  const stated = processesVariables.map((name) => environment.get(name)).find((value) => value !== undefined);
  const argument = /--nproc[_-]per[_-]node[=\s]+(\w+)/.exec(commandOf(pod))?.[1];
  const text = stated ?? argument;
  if (text === undefined) return gpus <= 1 ? 1 : undefined;
  if (/^(?:gpu|auto)$/.test(text)) return gpus >= 1 ? gpus : undefined;
  const count = wholeNumber(text);
  return count !== undefined && count >= 1 && count <= MOST_PROCESSES ? count : undefined;
}

/** Whole GPUs that the containers of a pod ask for. */
export function gpusOf(pod: Json): number {
  let count = 0;
  for (const container of asList(at(pod, 'spec', 'containers')))
    for (const [name, amount] of Object.entries(asObject(at(asObject(container), 'resources', 'limits'))))
      if (/^(?:nvidia\.com|amd\.com)\/gpu$|^habana\.ai\/gaudi$|^gpu\.intel\.com\/(?:i915|xe)$/.test(name))
        count += wholeNumber(asText(amount)) ?? 0;
  return count;
}

const commandOf = (pod: Json): string =>
  asList(at(pod, 'spec', 'containers'))
    .flatMap((container) => [...asList(asObject(container).command), ...asList(asObject(container).args)])
    .map(asText)
    .join(' ')
    .slice(0, 10_000);

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
