import { fail } from '../../model/problem.ts';
import type { ApiDependencies } from './dependencies.ts';
import { Inspections } from './inspections.ts';
import { MechanismsInUse } from './mechanisms-in-use.ts';
import { Questions } from './mostly-rejected.ts';
import { OpenCase } from './open-case.ts';

/** The state behind one window or one command: at most one open case, and what waits to be imported. */
export class Desk {
  private opened: OpenCase | undefined;
  readonly inspections = new Inspections();
  readonly questions = new Questions();
  readonly mechanisms: MechanismsInUse;
  readonly dependencies: ApiDependencies;
  constructor(dependencies: ApiDependencies) {
    this.dependencies = dependencies;
    this.mechanisms = new MechanismsInUse(async () => (await dependencies.mechanismsFile?.()) ?? null);
  }

  current(): OpenCase | undefined {
    return this.opened;
  }

  required(): OpenCase {
    return this.opened ?? fail('case.none_open', 'no case is open', { hint: 'open one, or drop files on the window' });
  }

  async open(stored: ReturnType<ApiDependencies['storage']['open']>): Promise<OpenCase> {
    const next = await OpenCase.from(await stored, this.mechanisms);
    await this.opened?.close();
    this.opened = next;
    return next;
  }

  /** Closes the open case and takes it away, as if it had never been made. */
  async discard(): Promise<void> {
    const gone = this.opened;
    this.opened = undefined;
    await gone?.discard();
  }

  async close(): Promise<void> {
    const closing = this.opened;
    this.opened = undefined;
    await closing?.close();
  }

  async closeAll(): Promise<void> {
    await this.inspections.close();
    await this.close();
  }
}
