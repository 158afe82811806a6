import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail } from '../../../model/problem.ts';
import { withinLine } from '../feed-state.ts';
import { type AddressKind, addressKind } from './address-kind.ts';
import type { Reach } from './reach.ts';

/** Prompts the user of this machine, outside the page. */
type Confirm = (request: {
  readonly message: string;
  readonly detail: string;
  /** Label of the button that allows it. */
  readonly yes: string;
}) => Promise<'no' | 'once' | 'always'>;

/** A prompt longer than a screen is not read. */
const MOST_LINES = 15;
const addressKindLabels: Readonly<Record<AddressKind, string>> = {
  'link-local': ' (a link-local or metadata address: in a cloud it gives out credentials of this machine)',
  private: ' (an address of a private network)',
  loopback: ' (this machine)',
  public: '',
  unknown: ' (its name cannot be resolved)',
};

interface Joined {
  readonly key: string;
  readonly line: string;
}

/**
 * Which secrets a window's plan may send to which hosts. Earlier permissions are stored as digests in a file of this
 * user. It prompts for anything new before any name lookup or connection.
 */
export class SecretHosts {
  private readonly file: string | null;
  private readonly confirm: Confirm | null;
  private allowed: Set<string> | undefined;
  /** One prompt at a time. */
  private pendingConfirmation: Promise<void> = Promise.resolve();

  /**
   * @param file null: keep permissions only in this process @param confirm null: no prompt is possible, so it refuses
   */
  constructor(file: string | null, confirm: Confirm | null) {
    this.file = file;
    this.confirm = confirm;
  }

  /** @throws ProblemError plan.not_allowed */
  async allow(reaches: readonly Reach[]): Promise<void> {
    const mine = this.pendingConfirmation.then(() => this.allowNow(reaches));
    this.pendingConfirmation = mine.catch(() => undefined);
    return mine;
  }

  private async allowNow(reaches: readonly Reach[]): Promise<void> {
    this.allowed ??= await this.read();
    const { allowed } = this;
    const joined = new Map((await Promise.all(reaches.map(joinsOf))).flat().map((one) => [one.key, one]));
    const fresh = [...joined.values()].filter(({ key }) => !allowed.has(key));
    let isRemembered = fresh.length > 0;
    for (let at = 0; at < fresh.length; at += MOST_LINES)
      if ((await this.confirmHosts(fresh.slice(at, at + MOST_LINES))) === 'once') isRemembered = false;
    if (!isRemembered) return;
    for (const { key } of fresh) allowed.add(key);
    await this.write([...allowed]);
  }

  private async confirmHosts(fresh: readonly Joined[]): Promise<'once' | 'always'> {
    const detail = fresh.map(({ line }) => line).join('\n');
    const answer = await this.confirm?.({
      message: 'A plan in this window sends secrets to new hosts, or connects to new addresses. Do you allow it?',
      detail,
      yes: 'Allow',
    });
    if (answer === 'once' || answer === 'always') return answer;
    const [first] = fresh;
    return fail('plan.not_allowed', `nothing was sent, this was not allowed: ${first?.line ?? ''}`, {
      hint: this.confirm
        ? 'start it again and allow it, or run the plan with `faultline capture`'
        : 'run the plan with `faultline capture`, or start `faultline serve` on a terminal, or with --send-secrets',
    });
  }

  private async read(): Promise<Set<string>> {
    if (this.file === null) return new Set();
    try {
      const known: unknown = JSON.parse(await readFile(this.file, 'utf8'));
      return new Set(Array.isArray(known) ? known.filter((one) => typeof one === 'string') : []);
    } catch {
      return new Set();
    }
  }

  private async write(keys: readonly string[]): Promise<void> {
    if (this.file === null) return;
    await mkdir(dirname(this.file), { recursive: true });
    await writeFile(`${this.file}.new`, JSON.stringify(keys), { mode: 0o600 });
    await rename(`${this.file}.new`, this.file);
  }
}

async function joinsOf({ origin, host, secrets }: Reach): Promise<Joined[]> {
  const kind = await addressKind(host);
  const place = `${withinLine(origin)}${addressKindLabels[kind]}`;
  const sent = secrets.map((secret) => ({
    key: keyOf(secret, origin),
    line: `${withinLine(secret)} goes to ${place}`,
  }));
  // Also without a secret: the response of such an address is one.
  if (sent.length > 0 || kind !== 'link-local') return sent;
  return [{ key: keyOf('', origin), line: `connects to ${place}` }];
}

const keyOf = (secret: string, origin: string): string =>
  createHash('sha256').update(`${secret}\n${origin}`).digest('base64url');
