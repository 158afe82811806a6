import { contentId, type Id, spanId } from '../traces/ids.ts';
import { endpointKey, type Members, serviceOf, textOf } from './format.ts';

interface ServerHalf {
  readonly endpoint: string;
  readonly service: string;
  readonly span: Id;
}
interface Halves {
  client: string | undefined;
  readonly servers: ServerHalf[];
  /** The server's half is marked as sharing the client's id. */
  shared: boolean;
}

/** More ids are not remembered; their spans keep their ids. */
const MAX_IDS = 4_000_000;

/**
 * Client and server of a call may write into one span with one id (B3 propagation). Here, as in Jaeger, the server's
 * half becomes a separate span below the client's: its id is derived from its content, and the server's calls below the
 * shared id become children of its half. A half marked `shared` is treated so even if the client's half is in another
 * file.
 */
export class SharedSpans {
  private readonly ids = new Map<string, Halves>();

  /** Call for every span before the first {@link place}. */
  learn(span: Members): void {
    const kind = textOf(span['kind']).toUpperCase();
    if ((kind !== 'CLIENT' && kind !== 'SERVER') || this.ids.size >= MAX_IDS) return;
    const key = keyOf(span, span['id']);
    const halves = this.ids.get(key) ?? { client: undefined, servers: [], shared: false };
    this.ids.set(key, halves);
    const service = serviceOf(span['localEndpoint']);
    if (kind === 'CLIENT') halves.client = service;
    else {
      halves.servers.push({ endpoint: endpointKey(span['localEndpoint']), service, span: serverId(span) });
      halves.shared ||= span['shared'] === true;
    }
  }

  /** The id and the parent of a span. */
  place(span: Members): { readonly span: Id | undefined; readonly parent: Id | undefined } {
    const own = spanId(span['id']);
    const halves = this.split(span, span['id']);
    if (halves && textOf(span['kind']).toUpperCase() === 'SERVER') return { span: serverId(span), parent: own };
    return { span: own, parent: this.parentOf(span) };
  }

  private parentOf(span: Members): Id | undefined {
    const parent = spanId(span['parentId']);
    const halves = this.split(span, span['parentId']);
    if (!parent || !halves) return parent;
    const endpoint = endpointKey(span['localEndpoint']);
    const service = serviceOf(span['localEndpoint']);
    const server =
      halves.servers.find((half) => half.endpoint === endpoint) ??
      halves.servers.find((half) => half.service === service);
    if (server) return server.span;
    // Below the client's half when the client recorded it, else below the only place that is further down.
    return service === halves.client ? parent : (halves.servers[0]?.span ?? parent);
  }

  private split(span: Members, id: unknown): Halves | undefined {
    const halves = this.ids.get(keyOf(span, id));
    return halves && halves.servers.length > 0 && (halves.shared || halves.client !== undefined) ? halves : undefined;
  }
}

const keyOf = (span: Members, id: unknown): string =>
  `${textOf(span['traceId']).replace(/^0+/, '')}/${textOf(id).replace(/^0+/, '')}`.toLowerCase();

function serverId(span: Members): Id {
  const half = `${endpointKey(span['localEndpoint'])} ${textOf(span['timestamp'])}`;
  return { hi: 0n, lo: contentId(`${keyOf(span, span['id'])} server ${half}`), exact: true };
}
