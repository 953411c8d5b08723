// Stops an error of what is within: something else is drawn in its place, and the rest of the page stays.

import { Component, type ReactNode } from 'react';

interface FenceProps {
  /** What is within: another one is drawn, whatever came of the one before. */
  readonly around: unknown;
  readonly instead: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

interface FenceState {
  readonly caught: { readonly error: unknown } | undefined;
}

export class Fence extends Component<FenceProps, FenceState> {
  override state: FenceState = { caught: undefined };
  static getDerivedStateFromError(error: unknown): FenceState {
    return { caught: { error } };
  }
  override componentDidUpdate({ around }: FenceProps) {
    if (around !== this.props.around && this.state.caught !== undefined) this.setState({ caught: undefined });
  }
  override render() {
    const { caught } = this.state;
    return caught === undefined ? this.props.children : this.props.instead(caught.error);
  }
}
