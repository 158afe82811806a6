/**
 * Strongly connected components of a directed graph (Tarjan 1972, without recursion): for every node the number of its
 * component. `edges[n]` lists the targets of n.
 */
export function stronglyConnected(edges: readonly (readonly number[])[]): Int32Array {
  const size = edges.length;
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const component = new Int32Array(size).fill(-1);
  const next = new Int32Array(size);
  const open: number[] = [];
  let visited = 0;
  let components = 0;
  for (let root = 0; root < size; root++) {
    if (order[root] !== -1) continue;
    const path = [root];
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      if (order[node] === -1) {
        order[node] = low[node] = visited++;
        open.push(node);
      }
      const child = edges[node]?.[next[node]!];
      if (child !== undefined) {
        next[node] = next[node]! + 1;
        if (order[child] === -1) path.push(child);
        else if (component[child] === -1) low[node] = Math.min(low[node]!, order[child]!);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!);
      if (low[node] !== order[node]) continue;
      for (let member = open.pop(); member !== undefined; member = member === node ? undefined : open.pop())
        component[member] = components;
      components++;
    }
  }
  return component;
}
