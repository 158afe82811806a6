import { connect, type TLSSocket } from 'node:tls';
import { ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { FeedCheck, FeedStep } from '../../../model/storage/feed.ts';
import { nanos } from '../../../model/time.ts';
import { EmissionMemory } from '../../sources/redfish/emission-memory.ts';
import { linkOf, textOf } from '../../sources/redfish/format.ts';
import { readTree } from '../../sources/redfish/read-tree.ts';
import { ResourceTree } from '../../sources/redfish/resource-tree.ts';
import { checkWay } from '../connection-checks.ts';
import { Controller } from './controller.ts';
import type { RedfishPlan } from './plan.ts';
import { listenForEvents } from './push-listener.ts';
import { ResourceCache } from './resource-cache.ts';
import { fingerprintOf } from './transport.ts';
import { whyNot } from './why-not.ts';

const PATIENCE_MS = 10_000;

/** Tests the connection to a controller step by step: from the password reference to decoded values. */
export async function* testController(plan: RedfishPlan, signal: AbortSignal): AsyncGenerator<FeedCheck> {
  const { protocol, hostname, port } = new URL(plan.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  let controller: Controller | null = null;
  const opened = await step('secret', host, async () => {
    controller = await Controller.of(plan);
    return plan.user === null ? 'no user is named' : `the password of ${plan.user} is found`;
  });
  yield opened;
  if (controller === null) return;
  try {
    // A failure here does not end the test: values and logs can be read without push.
    if (plan.push) yield await listening(plan.push);
    for await (const check of checkWay(hostname, number, PATIENCE_MS)) {
      yield check;
      if (!check.passed) return;
    }
    if (protocol === 'https:') {
      const check = await certificate(plan, host, number);
      yield check;
      if (!check.passed) return;
    }
    yield* login(plan, controller, host, signal);
  } finally {
    await (controller as Controller).close();
  }
}

/** Whether this machine can listen for events, tried as a capture does it. */
const listening = (push: NonNullable<RedfishPlan['push']>): Promise<FeedCheck> =>
  step('port', push.listen, async () => {
    const listener = await listenForEvents(push, () => false);
    await listener.close();
    return `events can be taken at ${push.listen}`;
  });

async function* login(
  plan: RedfishPlan,
  controller: Controller,
  host: string,
  signal: AbortSignal,
): AsyncGenerator<FeedCheck> {
  const loginCheck = await step('auth', host, async () => {
    const root = await controller.root(signal);
    const path = controller.own(linkOf(root['Chassis']) || linkOf(root['PowerEquipment']) || linkOf(root['Systems']));
    if (path !== undefined) await controller.get(path, signal);
    const name = [root['Vendor'], root['Product']].map(textOf).filter(Boolean).join(' ') || 'the controller';
    return `${name} lets ${plan.user ?? 'everybody'} in (Redfish ${textOf(root['RedfishVersion']) || 'of no version'})`;
  });
  yield loginCheck;
  if (!loginCheck.passed) return;
  const missing: string[] = [];
  const resources = new ResourceCache(controller, (text) => missing.push(text));
  const seen = await step('view', host, async () => {
    await resources.learn(signal);
    const refused = missing.filter((text) => /\b(401|403)\b/.test(text)).length;
    const rest = refused === 0 ? '' : `, ${refused} are refused to this user`;
    return `${resources.size} resources can be read${rest}${missing.length > refused ? `, ${missing.length - refused} cannot` : ''}`;
  });
  yield seen;
  if (seen.passed) yield values(resources, host);
}

/** Decodes the resources. */
function values(resources: ResourceCache, host: string): FeedCheck {
  const builder = new BatchBuilder();
  const tree = new ResourceTree();
  const problems = { remark: () => undefined, reject: () => undefined };
  resources.addTo(tree, problems);
  const time_ns = nanos(BigInt(Date.now()) * 1_000_000n);
  for (const _ of readTree({ tree, builder, fallback: host, time_ns, zone: 'UTC', memory: new EmissionMemory() }));
  const batch = builder.finish(0);
  const points = batch.tables.point?.count ?? 0;
  const detail = `${points} readings of ${batch.entities.length} parts were read`;
  if (points > 0) return { step: 'values', passed: true, detail };
  return {
    step: 'values',
    passed: false,
    detail: 'it has no readings that Faultline understands',
    hint: 'may this user read Chassis and Systems?',
  };
}

async function step(name: FeedStep, host: string, work: () => Promise<string>): Promise<FeedCheck> {
  try {
    return { step: name, passed: true, detail: await work() };
  } catch (error) {
    const hint = error instanceof ProblemError ? error.problem.hint : undefined;
    return { step: name, passed: false, detail: whyNot(error, host), ...(hint === undefined ? {} : { hint }) };
  }
}

/** Makes a TLS handshake and checks the certificate; sends no request. */
async function certificate(plan: RedfishPlan, host: string, port: number): Promise<FeedCheck> {
  const { found, trusted, trouble } = await new Promise<{ found: string; trusted: boolean; trouble: string }>(
    (resolve) => {
      const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
      const socket: TLSSocket = connect({ host, port, rejectUnauthorized: false, timeout: PATIENCE_MS, ...servername });
      const end = (trouble: string) => {
        const certificateFacts = { found: fingerprintOf(socket), trusted: socket.authorized, trouble };
        socket.destroy();
        resolve(certificateFacts);
      };
      socket.once('secureConnect', () => end(String(socket.authorizationError ?? '')));
      socket.once('timeout', () => end('the TLS handshake timed out'));
      socket.once('error', (error) => end(error.message));
    },
  );
  const tlsCheck = (passed: boolean, detail: string, hint?: string): FeedCheck => ({
    step: 'tls',
    passed,
    detail,
    ...(hint === undefined ? {} : { hint }),
  });
  if (found === '')
    return tlsCheck(false, `the port does not speak TLS: ${trouble}`.slice(0, 300), 'is this the HTTPS port?');
  if (plan.fingerprint_sha256) {
    const isSame = found === plan.fingerprint_sha256;
    return isSame
      ? tlsCheck(true, 'its certificate is that of the plan')
      : tlsCheck(
          false,
          `its certificate is not that of the plan: ${found}`,
          'was it renewed? compare it on the controller',
        );
  }
  if (trusted) return tlsCheck(true, 'its certificate is trusted');
  if (plan.tls === 'insecure') return tlsCheck(true, `its certificate is not verified, as set in the plan: ${found}`);
  const hint = `compare it on the controller, then write into the plan: fingerprint_sha256: ${found}`;
  return tlsCheck(false, `its certificate cannot be trusted (${trouble})`, hint);
}
