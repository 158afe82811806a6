import { Component, type ReactNode } from 'react';
import type { Problem } from '../../model/problem.ts';
import { problemOf } from '../client/problem-of.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';

export interface BoundaryProps {
  readonly what: string;
  readonly children: ReactNode;
}

/** A view that throws shows its problem in its place; other views are not affected. */
export class Boundary extends Component<BoundaryProps, { readonly problem: Problem | null }> {
  override state: { readonly problem: Problem | null } = { problem: null };

  static getDerivedStateFromError(error: unknown): { readonly problem: Problem } {
    return { problem: problemOf(error) };
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (!problem) return this.props.children;
    return <ProblemNote problem={problem} what={this.props.what} onRetry={() => this.setState({ problem: null })} />;
  }
}
