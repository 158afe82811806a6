import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

/** Something that was recorded, and what Faultline must understand of it, whatever carried it. */
export interface Fact {
  readonly name: string;
}

export interface Written {
  readonly file: string;
  readonly content: string | Uint8Array;
}

/** A form in which recordings come. */
export interface Container<F extends Fact> {
  readonly name: string;
  /** Why this container cannot carry the fact; undefined: it can. */
  readonly hole?: (fact: F) => string | undefined;
  /** What is less in this container although it is understood, and is expected so; undefined: nothing. */
  readonly note?: (fact: F) => string | undefined;
  /** The file that carries these facts. */
  readonly write: (facts: readonly F[]) => Written | Promise<Written>;
}

/** Facts of one kind by the containers that carry them. */
export interface Part<F extends Fact, C extends Container<F> = Container<F>> {
  readonly title: string;
  readonly facts: readonly F[];
  readonly containers: readonly C[];
  /** What the case has of each fact, in the order of the facts. */
  readonly answers: (core: TestCore, facts: readonly F[]) => Promise<readonly unknown[]>;
  readonly wanted: (fact: F, container: C) => unknown;
}

export interface Difference {
  readonly fact: string;
  readonly container: string;
  readonly wanted: unknown;
  readonly found: unknown;
}

/** What stands beside a fact in a container. */
export interface Cell {
  readonly isRead: boolean;
  readonly reason: string | undefined;
}

export interface Filled {
  readonly title: string;
  readonly containers: readonly string[];
  readonly rows: readonly { readonly fact: string; readonly cells: readonly Cell[] }[];
  readonly differences: readonly Difference[];
}

/** Imports every fact from every container that can carry it; where the answer is another than the wanted one, that is a difference. */
export async function fill<F extends Fact, C extends Container<F>>({
  title,
  facts,
  containers,
  answers,
  wanted,
}: Part<F, C>): Promise<Filled> {
  const rows = facts.map(({ name }) => ({ fact: name, cells: [] as Cell[] }));
  const differences: Difference[] = [];
  for (const container of containers) {
    const { name, hole, note, write } = container;
    const carried = facts.filter((fact) => hole?.(fact) === undefined);
    const core = await memoryCore();
    const { file, content } = await write(carried);
    const path = join(await temporaryFolder(), file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    for (const event of await core.import([path]))
      if (event.kind === 'problem') throw new Error(`${name}: ${event.problem.message}`);
    const found = await answers(core, carried);
    for (const [i, fact] of facts.entries()) {
      const missing = hole?.(fact);
      rows[i]!.cells.push({ isRead: missing === undefined, reason: missing ?? note?.(fact) });
      const at = carried.indexOf(fact);
      const expected = wanted(fact, container);
      if (at >= 0 && !isDeepStrictEqual(found[at], expected))
        differences.push({ fact: fact.name, container: name, wanted: expected, found: found[at] });
    }
    await core.close();
  }
  return { title, containers: containers.map(({ name }) => name), rows, differences };
}

/** The table as markdown, with the reasons of its holes below. */
export function tableOf({ title, containers, rows }: Filled): string {
  const reasons: string[] = [];
  const cell = ({ isRead, reason }: Cell): string => {
    if (reason === undefined) return 'yes';
    if (!reasons.includes(reason)) reasons.push(reason);
    return `${isRead ? 'yes ' : ''}(${reasons.indexOf(reason) + 1})`;
  };
  const lines = rows.map(({ fact, cells }) => `| ${fact} | ${cells.map(cell).join(' | ')} |`);
  return [
    `## ${title}`,
    '',
    `| fact | ${containers.join(' | ')} |`,
    `| --- |${' --- |'.repeat(containers.length)}`,
    ...lines,
    ...(reasons.length > 0 ? ['', ...reasons.map((reason, i) => `${i + 1}. ${reason}`)] : []),
    '',
  ].join('\n');
}

/** First instant of every recording of the matrix, s since 1970: 2026-05-01 14:10:00 UTC. */
export const START = 1_777_644_600;
export const iso = (second: number): string => new Date(second * 1000).toISOString();
export const rowsOf = async (core: TestCore, sql: string): Promise<readonly (readonly unknown[])[]> =>
  (await core.api['query.sql']({ sql })).rows;
