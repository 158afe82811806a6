// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test, vi } from 'vitest';
import { Boundary } from '../../../src/renderer/shell/boundary.tsx';
import { lazyPart, loadPartsSoon } from '../../../src/renderer/widgets/lazy-part.tsx';

afterEach(cleanup);
const Name = ({ name }: { readonly name: string }) => <p>{name}</p>;

test('a part is drawn when its code has come, and from then on in its first frame', async () => {
  const load = vi.fn(async () => Name);
  const Part = lazyPart(load);
  expect(renderToStaticMarkup(<Part name="PDU-B" />)).toBe('');
  render(<Part name="PDU-B" />);
  expect(await screen.findByText('PDU-B')).toBeTruthy();
  expect(renderToStaticMarkup(<Part name="PDU-A" />)).toBe('<p>PDU-A</p>');
  expect(load).toHaveBeenCalledTimes(1);
});

test('parts that nobody has shown yet are loaded ahead', async () => {
  const Part = lazyPart(async () => Name);
  const failing = vi.fn(async () => Promise.reject(new Error('the host is gone')));
  lazyPart(failing);
  const Last = lazyPart(async () => Name);
  await loadPartsSoon();
  expect(failing).toHaveBeenCalledTimes(1);
  expect(renderToStaticMarkup(<Part name="PDU-B" />)).toBe('<p>PDU-B</p>');
  expect(renderToStaticMarkup(<Last name="PDU-B" />)).toBe('<p>PDU-B</p>');
});

test('code that cannot be loaded is a problem in its place, and is loaded again on retry', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  let isBroken = true;
  const Part = lazyPart(async () => (isBroken ? Promise.reject(new Error('no such file')) : Name));
  render(
    <Boundary what="Topology">
      <Part name="PDU-B" />
    </Boundary>,
  );
  await waitFor(() => expect(document.body.textContent).toContain('no such file'));
  isBroken = false;
  await userEvent.click(screen.getByRole('button', { name: /retry|again/i }));
  expect(await screen.findByText('PDU-B')).toBeTruthy();
  vi.mocked(console.error).mockRestore();
});
