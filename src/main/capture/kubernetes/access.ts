import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { load, YAMLException } from 'js-yaml';
import { fail } from '../../../model/problem.ts';
import { secret } from '../plan/secret.ts';
import type { KubernetesPlan } from './plan.ts';

/** Address and credentials for an API server. */
export interface Access {
  readonly url: string;
  /** For people: `context prod`. */
  readonly as: string;
  /** Read again for each request: mounted tokens are replaced every hour. */
  token(): Promise<string | null>;
  readonly tls: {
    readonly ca?: Buffer;
    readonly cert?: Buffer;
    readonly key?: Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
}

/** Where a pod finds its service account (kubernetes.io, Accessing the Kubernetes API from a Pod). */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Uses the plan's address; else the kubeconfig that kubectl would use; else the pod's service account.
 *
 * @throws ProblemError feed.no_secret, feed.no_credentials, feed.kubeconfig
 */
export async function accessOf(plan: KubernetesPlan): Promise<Access> {
  if (plan.url !== null) {
    const token = plan.token === null ? null : await secret(plan.token);
    return { url: plan.url, as: plan.token === null ? 'no user' : 'a token', token: async () => token, tls: {} };
  }
  const named = plan.kubeconfig ?? process.env['KUBECONFIG'] ?? '';
  const paths = named === '' ? [join(homedir(), '.kube/config')] : named.split(delimiter).filter(Boolean);
  const found = await readConfigs(paths);
  if (found.length > 0) return await byConfig(merged(found), plan.context);
  if (named !== '') fail('feed.kubeconfig', `the kubeconfig ${named} cannot be read`, { hint: 'check its path' });
  return await ofThisPod();
}

async function ofThisPod(): Promise<Access> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const ca = await readFile(join(ACCOUNT, 'ca.crt')).catch(() => null);
  if (!host || ca === null)
    return fail('feed.no_credentials', 'there is no kubeconfig, and this is no pod of a cluster', {
      hint: 'name a kubeconfig, or run kubectl proxy and give its address as url',
    });
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port ?? '443'}`,
    as: 'the service account of this pod',
    token: async () => (await readFile(join(ACCOUNT, 'token'), 'utf8')).trim(),
    tls: { ca },
  };
}

type Settings = Readonly<Record<string, unknown>>;
interface Config {
  readonly current: string;
  /** Lists of the file, by name. */
  readonly of: Readonly<Record<'contexts' | 'clusters' | 'users', ReadonlyMap<string, Settings>>>;
}

const objectOf = (value: unknown): Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

async function readConfigs(paths: readonly string[]): Promise<Config[]> {
  const configs: Config[] = [];
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null) configs.push(configOf(text, path));
  }
  return configs;
}

function configOf(text: string, path: string): Config {
  const value = objectOf(parsed(text, path));
  const folder = dirname(path);
  const named = (list: string, inner: string): ReadonlyMap<string, Settings> => {
    const entries = Array.isArray(value[list]) ? (value[list] as unknown[]).map(objectOf) : [];
    // Paths are relative to the kubeconfig.
    return new Map(entries.map((entry) => [textOf(entry['name']), { ...objectOf(entry[inner]), folder }]));
  };
  return {
    current: textOf(value['current-context']),
    of: {
      contexts: named('contexts', 'context'),
      clusters: named('clusters', 'cluster'),
      users: named('users', 'user'),
    },
  };
}

function parsed(text: string, path: string): unknown {
  try {
    return load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return fail('feed.kubeconfig', `the kubeconfig ${path} is no YAML: ${error.reason}`);
  }
}

/** Of several files the first definition of a name counts, as in kubectl. */
function merged(configs: readonly Config[]): Config {
  const all = (list: keyof Config['of']) => new Map(configs.toReversed().flatMap((config) => [...config.of[list]]));
  return {
    current: configs.map(({ current }) => current).find(Boolean) ?? '',
    of: { contexts: all('contexts'), clusters: all('clusters'), users: all('users') },
  };
}

async function byConfig({ current, of }: Config, wanted: string | null): Promise<Access> {
  const name = wanted ?? current;
  const context = of.contexts.get(name);
  if (!context)
    return fail('feed.kubeconfig', `the kubeconfig has no context ${name === '' ? 'that is current' : name}`, {
      hint: of.contexts.size > 0 ? `it has ${[...of.contexts.keys()].join(', ')}` : 'name another kubeconfig',
    });
  const cluster = of.clusters.get(textOf(context['cluster'])) ?? {};
  const user = of.users.get(textOf(context['user'])) ?? {};
  const url = textOf(cluster['server']);
  if (!URL.canParse(url)) fail('feed.kubeconfig', `the cluster of the context ${name} has no server that is a URL`);
  if (user['exec'] !== undefined || user['auth-provider'] !== undefined)
    fail(
      'feed.no_credentials',
      `the user of the context ${name} gets its token by running a program, which is not supported`,
      {
        hint: 'run kubectl proxy and give its address as url, or a token of kubectl create token',
      },
    );
  const [ca, cert, key] = await Promise.all([
    material(cluster, 'certificate-authority'),
    material(user, 'client-certificate'),
    material(user, 'client-key'),
  ]);
  const servername = textOf(cluster['tls-server-name']);
  return {
    url,
    as: `context ${name}`,
    token: () => tokenOf(user),
    tls: {
      ...(ca ? { ca } : {}),
      ...(cert && key ? { cert, key } : {}),
      ...(servername === '' ? {} : { servername }),
      ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
    },
  };
}

/** Data in the kubeconfig (base64), or in a file that it names. */
async function material(settings: Settings, name: string): Promise<Buffer | null> {
  const data = textOf(settings[`${name}-data`]);
  if (data !== '') return Buffer.from(data, 'base64');
  const path = textOf(settings[name]);
  return path === '' ? null : await readRelative(settings, path);
}

async function tokenOf(user: Settings): Promise<string | null> {
  const path = textOf(user['tokenFile']);
  if (path !== '') return (await readRelative(user, path)).toString('utf8').trim();
  return textOf(user['token']) || null;
}

const readRelative = (settings: Settings, path: string): Promise<Buffer> =>
  readFile(resolve(textOf(settings['folder']), path)).catch(() =>
    fail('feed.kubeconfig', `${path}, which the kubeconfig names, cannot be read`),
  );
