import type { JobHeat, JobView } from '../../../model/contract/index.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { JobHeatMap } from './job-heat-map.tsx';
import { JobList } from './job-list.tsx';
import { JobTables } from './job-tables.tsx';
import { messages } from './messages.ts';
import { RankDetail } from './rank-detail.tsx';
import { useRows } from './use-rows.ts';
import './jobs.css';

export interface ShownJob {
  readonly job: JobView;
  readonly heat: JobHeat;
  /** The window of the heat map. */
  readonly window: TimeWindow;
}

export interface JobsProps {
  readonly jobs: readonly JobView[];
  readonly total: number;
  /** null: there is no job. */
  readonly shown: ShownJob | null;
}

/** The training jobs of the case; of one of them all ranks over time, and who waited for whom. */
export function Jobs({ jobs, total, shown }: JobsProps) {
  if (!shown) return <p className="empty muted">{messages.empty.noJobs}</p>;
  return (
    <div className="jobs">
      <JobList jobs={jobs} total={total} shown={shown.job} />
      <Job {...shown} />
    </div>
  );
}

function Job({ job, heat, window }: ShownJob) {
  const rows = useRows(heat);
  const rank = heat.ranks[rows.selected];
  return (
    <>
      {heat.ranks.length === 0 ? (
        <p className="empty muted">{messages.empty.noRanks}</p>
      ) : heat.measure === null ? (
        <p className="empty muted">{messages.empty.noHeat}</p>
      ) : (
        <JobHeatMap job={job} heat={heat} rows={rows} window={window} />
      )}
      <div className="jobs-lower">
        <JobTables job={job} heat={heat} rows={rows} />
        <RankDetail rank={rank} waited={job.waited.filter(({ row }) => row >= 0 && row === rows.selected)} />
      </div>
    </>
  );
}
