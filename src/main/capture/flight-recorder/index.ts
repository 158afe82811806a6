import { setImmediate, setTimeout } from 'node:timers/promises';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { type RowBatch, rowCount } from '../../../model/rows/rows.ts';
import type { Feed, FeedCheck, FeedSink } from '../../../model/storage/feed.ts';
import { appendDump, appendMissingRanks } from '../../sources/flight-recorder/dumped-job.ts';
import { failed, passed } from '../connection-checks.ts';
import type { FeedKind } from '../feed-kind.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { PollSchedule } from '../poll-schedule.ts';
import {
  folderName,
  isSystemError,
  leftOutText,
  listFolder,
  type WatchedFile,
  withCode,
} from '../watched-files/folder.ts';
import { DumpFolder } from './dump-folder.ts';
import { type FlightRecorderPlan, flightRecorderPlanSchema } from './plan.ts';
import { JobRuns } from './runs.ts';

/** Ranks that a state names; the others are counted. */
const MOST_NAMED = 20;
/** Files that a test reads. */
const MOST_TESTED = 16;
const FULL_MS = 500;

/** Dumps of PyTorch's NCCL Flight Recorder as the ranks write them; uses the decoder for copies of the same files. */
export const flightRecorderFeed: FeedKind<typeof flightRecorderPlanSchema> = {
  kind: 'flight-recorder',
  plan: flightRecorderPlanSchema,
  open: (plan): Feed => {
    const watch = new DumpWatch(plan);
    return {
      name: plan.name,
      format: 'flight-recorder-live',
      stampedBy: 'sender',
      about: `${plan.folder}, ${plan.files}`,
      run: (sink, signal) => watch.run(sink, signal),
    };
  },
  test,
};

class DumpWatch {
  private readonly plan: FlightRecorderPlan;
  private readonly folder: DumpFolder;
  private readonly runs: JobRuns;
  private readonly builder = new BatchBuilder();

  constructor(plan: FlightRecorderPlan) {
    this.plan = plan;
    this.folder = new DumpFolder(plan);
    this.runs = new JobRuns(plan.job ?? folderName(plan.folder));
  }

  async run(sink: FeedSink, signal: AbortSignal): Promise<void> {
    const reportState = reportChangesOnly(sink);
    const schedule = new PollSchedule();
    while (!signal.aborted) {
      try {
        for (const file of await this.folder.complete()) {
          if (signal.aborted) break;
          await this.read(file, sink, signal);
        }
        reportState('up', this.describe());
      } catch (error) {
        if (!isSystemError(error)) throw error;
        reportState('down', `${this.plan.folder} ${withCode(error)}`);
      }
      await schedule.rest(this.plan.every_s * 1000, signal, (late_ms) => sink.missed?.(late_ms));
    }
  }

  private async read(file: WatchedFile, sink: FeedSink, signal: AbortSignal): Promise<void> {
    const { builder, runs } = this;
    const found = await this.folder.open(file);
    // Polls of other feeds have their turn between two dumps.
    await setImmediate();
    if (!found) return;
    const batches: RowBatch[] = [];
    if ('reason' in found) builder.reject(file.name, 0, found.reason);
    else {
      const before = runs.count;
      const job = runs.jobOf(file.name, found.dump);
      if (runs.count > before)
        builder.remark(`the ranks started again: their dumps from then on are those of the job ${job.id}`);
      batches.push(...appendDump(builder, job, { path: file.name }, found.dump, 0));
      appendMissingRanks(builder, job);
    }
    batches.push(builder.finish(0));
    if (!(await deliver(batches, sink, signal))) this.folder.forget(file);
  }

  private describe(): string {
    const { present, expected, missing } = this.runs.latest;
    const left = this.folder.leftOutText;
    if (present.size === 0) return `no dump in ${this.plan.folder} yet${left}`;
    const named = missing.slice(0, MOST_NAMED).join(', ');
    const more = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : '';
    const of = expected.size > 0 ? ` of ${expected.size}` : '';
    const none = missing.length > 0 ? `, none of rank ${named}${more}` : '';
    return `dumps of ${present.size}${of} ranks${none}${left}`;
  }
}

/** Waits for room. @returns false if the capture ended before there was any */
async function deliver(batches: readonly RowBatch[], sink: FeedSink, signal: AbortSignal): Promise<boolean> {
  while (!sink.take(batches)) {
    if (signal.aborted) {
      const rows = batches.reduce((sum, batch) => sum + rowCount(batch), 0);
      sink.lost(rows, 'the capture ended before the rows were written');
      return false;
    }
    await setTimeout(FULL_MS, undefined, { signal }).catch(() => undefined);
  }
  return true;
}

async function* test(plan: FlightRecorderPlan): AsyncGenerator<FeedCheck> {
  const { folder, files: pattern, most_files } = plan;
  try {
    const { files, leftOut } = await listFolder(folder, pattern, most_files);
    yield passed('view', `${folder} can be read, ${files.length} files are called ${pattern}${leftOutText(leftOut)}`);
    if (files.length === 0) {
      yield passed('values', 'there is no dump yet: ranks write one when a collective hangs');
      return;
    }
    const dumps = new DumpFolder(plan);
    const tested = files.slice(0, MOST_TESTED);
    let good = 0;
    for (const file of tested) {
      const found = await dumps.open(file);
      if (found && 'dump' in found) good++;
    }
    if (good > 0) yield passed('values', `${good} of the first ${tested.length} files are dumps${dumps.leftOutText}`);
    else
      yield failed(
        'values',
        `none of the first ${tested.length} files is a dump`,
        'set files to the names of the dumps',
      );
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const hint = 'the folder is where TORCH_NCCL_DEBUG_INFO_TEMP_FILE or TORCH_FR_DUMP_TEMP_FILE of the job points to';
    yield failed('view', `${folder} ${withCode(error)}`, hint);
  }
}
