import type { Feed, FeedCheck } from '../../../model/storage/feed.ts';
import { failed, passed } from '../connection-checks.ts';
import type { FeedKind } from '../feed-kind.ts';
import {
  isSystemError,
  leftOutText,
  listFolder,
  openWatched,
  type WatchedFile,
  withCode,
} from '../watched-files/folder.ts';
import { FollowedFile } from './followed-file.ts';
import { LogTail } from './log-tail.ts';
import { type LogTailPlan, logTailPlanSchema } from './plan.ts';

/** Logs as programs write them; uses the decoders of log files. */
export const logTailFeed: FeedKind<typeof logTailPlanSchema> = {
  kind: 'log-tail',
  plan: logTailPlanSchema,
  open: (plan): Feed => {
    const tail = new LogTail(plan);
    return {
      name: plan.name,
      format: 'log-tail-live',
      stampedBy: 'sender',
      about: `${plan.folder}, ${plan.files}`,
      run: (sink, signal) => tail.run(sink, signal),
    };
  },
  test,
};

async function* test({ folder, files: pattern, most_files }: LogTailPlan): AsyncGenerator<FeedCheck> {
  try {
    const { files, leftOut } = await listFolder(folder, pattern, most_files);
    const unread = new Map(leftOut);
    let readable = 0;
    for (const file of files) {
      const reason = await whyNotRead(file);
      if (reason === '') readable++;
      else unread.set(reason, (unread.get(reason) ?? 0) + 1);
    }
    yield passed('view', `${folder} can be read, ${files.length} files are called ${pattern}${leftOutText(unread)}`);
    if (files.length === 0) yield passed('values', 'there is no log yet: it is read when it appears');
    else if (readable > 0) yield passed('values', `${readable} of them are text`);
    else yield failed('values', 'none of these files can be read');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    yield failed('view', `${folder} ${withCode(error)}`, 'set folder to where the logs are, as seen from this machine');
  }
}

/** '' if it can be read. */
async function whyNotRead(listed: WatchedFile): Promise<string> {
  const file = new FollowedFile(listed, 0);
  try {
    file.handle = await openWatched(listed);
    if (!file.handle) return '';
    await file.readMore();
    return file.isLog === false ? 'compressed or binary' : '';
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return withCode(error);
  } finally {
    await file.close();
  }
}
