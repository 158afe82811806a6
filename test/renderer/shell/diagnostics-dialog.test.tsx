// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { DiagnosticsDialog } from '../../../src/renderer/shell/diagnostics-dialog.tsx';
import { useDiagnostics } from '../../../src/renderer/state/diagnostics.ts';

afterEach(() => {
  cleanup();
  useDiagnostics.setState({ text: null });
});

const text = 'faultline  0.1.0, web\nrows       event 5\n';

test('every character is shown before it is copied', async () => {
  const user = userEvent.setup();
  await navigator.clipboard.writeText('before');
  useDiagnostics.setState({ text });
  render(<DiagnosticsDialog />);
  expect(screen.getByTestId('diagnostics').querySelector('pre')?.textContent).toBe(text);
  expect(await navigator.clipboard.readText()).toBe('before');
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await navigator.clipboard.readText()).toBe(text);
  expect(screen.queryByTestId('diagnostics')).toBeNull();
});

test('closing it copies nothing', async () => {
  const user = userEvent.setup();
  await navigator.clipboard.writeText('before');
  useDiagnostics.setState({ text });
  render(<DiagnosticsDialog />);
  await user.click(screen.getByRole('button', { name: /Close/ }));
  expect(await navigator.clipboard.readText()).toBe('before');
  expect(useDiagnostics.getState().text).toBeNull();
});
