import { HttpFailure } from '../cloud/fetch-json.ts';
import { type ApiServer, type Changes, type KubernetesList, versionOf } from './api-server.ts';

const FORBIDDEN = 403;

/** Events of a cluster: all that it still has at first, then what came since the poll before. */
export class ListedEvents {
  /** Until which events were read; '': none were. */
  private version = '';
  /** A right of its own beside the one to list. */
  private mayWatch = true;

  /**
   * @returns null if this user may not list them
   * @throws HttpFailure; ProblemError feed.too_large, feed.garbage; the system's errors of connections
   */
  async next(server: ApiServer, path: string, signal: AbortSignal): Promise<readonly KubernetesList[] | null> {
    try {
      const changes = await this.changes(server, path, signal);
      if (changes) {
        this.version = changes.version;
        return [{ kind: 'EventList', apiVersion: 'v1', items: changes.objects }];
      }
      // What is listed again was delivered already, and is left out.
      const pages: KubernetesList[] = [];
      for await (const page of server.list(path, signal)) pages.push(page);
      this.version = pages[0] ? versionOf(pages[0]) : '';
      return pages;
    } catch (error) {
      if (isForbidden(error)) return null;
      throw error;
    }
  }

  /** null: they have to be listed. */
  private async changes(server: ApiServer, path: string, signal: AbortSignal): Promise<Changes | null> {
    if (this.version === '' || !this.mayWatch) return null;
    try {
      return await server.changes(path, this.version, signal);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.mayWatch = false;
      return null;
    }
  }
}

const isForbidden = (error: unknown): boolean => error instanceof HttpFailure && error.status === FORBIDDEN;
