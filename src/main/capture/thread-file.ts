/**
 * Where the script of a worker thread lies: beside its caller as source; beside the program once built, whose own parts may
 * lie one folder deeper.
 *
 * @param caller `import.meta.url` of the module that starts it
 */
export function threadFile(caller: string, source: string, built: string): URL {
  const here = new URL(caller);
  if (here.pathname.endsWith('.ts')) return new URL(source, here);
  return new URL(here.pathname.includes('/chunks/') ? `../${built}` : `./${built}`, here);
}
