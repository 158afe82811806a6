import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const pod = (number: string) => ({
  metadata: {
    name: `llama-70b-${number}`,
    namespace: 'inference',
    labels: { 'app.kubernetes.io/name': 'llama-70b' },
  },
  spec: { nodeName: `gpu-node-${number}`, containers: [{ name: 'main' }] },
  status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
});
/** The first is where the demo's map has it, the others are news. */
const pods = ['05', '09', '10'].map(pod);

/** An API server of Kubernetes that knows two pods more of the demo's service than its map: four links. */
export async function demoCluster(): Promise<{ readonly plan: string; close(): void }> {
  const server = createServer(({ url }, response) => {
    const isPods = url?.startsWith('/api/v1/pods');
    const list = { kind: isPods ? 'PodList' : 'NodeList', apiVersion: 'v1', items: isPods ? pods : [] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    plan: `feeds: [{kind: kubernetes, name: cluster prod, url: "http://127.0.0.1:${port}"}]\n`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
