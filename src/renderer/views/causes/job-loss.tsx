import type { IncidentView } from '../../../model/contract/index.ts';
import { jobLossOf, jobLossText } from '../../../model/incident/job-loss.ts';
import { useCall } from '../../state/use-answer.ts';

/** Of an incident of a job that stopped: what that lost. */
export function JobLoss({ view }: { readonly view: IncidentView }) {
  const { harm } = view.incident;
  const hasStopped = harm === 'stalled' || harm === 'failed' || harm === 'ended';
  const { value } = useCall('jobs.list', hasStopped ? {} : null, ['span', 'log', 'event', 'edge', 'entity']);
  const lost = value ? jobLossOf(value.jobs, view) : null;
  return lost ? (
    <p className="job-loss" data-testid="job-loss">
      {jobLossText(lost)}
    </p>
  ) : null;
}
