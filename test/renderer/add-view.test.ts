import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { commands } from '../../src/renderer/shell/commands.ts';
import { Rail } from '../../src/renderer/shell/rail.tsx';
import { showView, useCase } from '../../src/renderer/state/case-state.ts';
import type * as registry from '../../src/renderer/views/index.ts';
import { views, viewsIn } from '../../src/renderer/views/index.ts';

// What a new view adds: its definition, and a line in the registry.
vi.mock('../../src/renderer/views/index.ts', async (original) => {
  const real = await original<typeof registry>();
  const { defineView } = await import('../../src/renderer/widgets/view.tsx');
  const added = defineView({
    id: 'racks',
    title: 'Racks',
    key: () => '',
    query: async () => null,
    draw: () => null,
  });
  const all = [...real.views, { view: added, places: ['main' as const] }];
  return {
    ...real,
    views: all,
    viewsIn: (place: registry.Place) => all.filter(({ places }) => places.includes(place)),
  };
});

test('a view that is only registered is in the rail and in the palette, and can be shown', () => {
  expect(viewsIn('main').at(-1)?.view.id).toBe('racks');
  expect(renderToStaticMarkup(createElement(Rail))).toContain('data-testid="view-racks"');
  commands()
    .find(({ title }) => title.includes('Racks'))
    ?.run();
  expect(useCase.getState().view).toBe('racks');
  showView('timeline');
});

test('every view that code shows is registered', () => {
  const source = join(import.meta.dirname, '../../src/renderer');
  const shown = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(join(source, file), 'utf8').matchAll(/\b(?:showView|showTab)\('(\w+)'/g)])
    .map(([, id]) => id);
  expect(shown.length).toBeGreaterThan(20);
  const known = new Set<string | undefined>(views.map(({ view }) => view.id));
  expect(shown.filter((id) => !known.has(id))).toEqual([]);
});
