import { type MetricName, metrics } from '../../../../model/telemetry/metric.ts';
import { WORKLOAD_OF_SCALER, workloadOfScaler } from '../../../../model/telemetry/workload-name.ts';
import { reading } from '../../nvidia/reading.ts';
import { firstOf, kubernetesNaming } from '../naming.ts';
import type { Labels, Naming, Surroundings } from '../scraped.ts';
import { type Exporter, readings } from './exporter.ts';

const of = (metric: MetricName) => reading(metric, metrics[metric].unit);
const wanted = of('service.replicas.wanted');
const ready = of('service.replicas.ready');
const current = of('service.replicas.current');
const limit = of('service.replicas.limit');

/**
 * Replicas of workloads, by the pages of kube-state-metrics on Deployments and StatefulSets
 * (https://github.com/kubernetes/kube-state-metrics/tree/main/docs/metrics/workload). An autoscaler sets the replicas of its target.
 */
const workloads = {
  kube_deployment_spec_replicas: wanted,
  kube_deployment_status_replicas_ready: ready,
  kube_statefulset_replicas: wanted,
  kube_statefulset_status_replicas_ready: ready,
};

/**
 * The same as a HorizontalPodAutoscaler has it (https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/workload/horizontalpodautoscaler-metrics.md),
 * with the names before version 2. Its current replicas exist, ready or not.
 */
const scalers = {
  kube_horizontalpodautoscaler_status_desired_replicas: wanted,
  kube_horizontalpodautoscaler_status_current_replicas: current,
  kube_horizontalpodautoscaler_spec_max_replicas: limit,
  kube_hpa_status_desired_replicas: wanted,
  kube_hpa_status_current_replicas: current,
  kube_hpa_spec_max_replicas: limit,
};

/** States what an autoscaler scales, whatever it is called. */
const SCALER_INFO = 'kube_horizontalpodautoscaler_info';

/** kube-state-metrics: labels name the described object, not the scraped one; other names are kept. */
export const kubernetes: Exporter = {
  title: 'kube-state-metrics',
  names: [...Object.keys(workloads), ...Object.keys(scalers)],
  owns: (name) => name.startsWith('kube_'),
  reading: readings({ ...workloads, ...scalers }),
  naming: ({ name, labels }, surroundings) =>
    (Object.hasOwn(workloads, name) ? ofService(labels, ['deployment', 'statefulset']) : undefined) ??
    (Object.hasOwn(scalers, name)
      ? ofService(labels, ['horizontalpodautoscaler', 'hpa'], workloadOfScaler)
      : undefined) ??
    (name === SCALER_INFO ? targetOf(labels) : undefined) ??
    kubernetesNaming(name, labels, surroundings),
};

function targetOf(labels: Labels): Naming | undefined {
  const target = ofService(labels, ['scaletargetref_name']);
  const scaled = workloadOfScaler(firstOf(labels, 'horizontalpodautoscaler', 'hpa'));
  if (!target || scaled === '' || scaled === target.subject.id) return target;
  return { ...target, subject: { ...target.subject, aliases: [{ kind: WORKLOAD_OF_SCALER, name: scaled }] } };
}

/** The autoscaler of Knative, which KServe uses, too: https://knative.dev/docs/serving/observability/metrics/serving-metrics/. */
const revisions = { autoscaler_desired_pods: wanted, autoscaler_actual_pods: ready };

export const knative: Exporter = {
  title: 'autoscaler of Knative Serving',
  names: Object.keys(revisions),
  owns: (name) => Object.hasOwn(revisions, name),
  writes: ({ labels }) => labels.has('revision_name'),
  reading: readings(revisions),
  naming: ({ labels }, surroundings: Surroundings) =>
    ofService(labels, ['service_name', 'configuration_name']) ?? kubernetesNaming('', labels, surroundings),
};

/** A workload is the service that its pods serve; `serving-naming.ts` names the service of a pod by its workload. */
function ofService(labels: Labels, names: readonly string[], serviceOf = (name: string) => name): Naming | undefined {
  const id = firstOf(labels, ...names);
  if (id === '') return undefined;
  return {
    subject: { kind: 'service', id: serviceOf(id) },
    relations: [],
    used: new Set([...names, 'instance', 'job']),
  };
}
