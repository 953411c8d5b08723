// Parts of the page that come after the first view: loaded by themselves, each with something of its size in
// its place. One that cannot be loaded, such as a script after an upgrade of the service, is reported and
// loaded again, and takes nothing else with it.

import { Button, UnstyledButton } from '@mantine/core';
import {
  Component,
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { Icon } from '../icons.tsx';
import { observable } from '../observable.ts';
import { texts } from '../texts.ts';
import { ReloadButton } from './trouble.tsx';

interface FenceProps {
  /** What is within: another one is drawn, whatever came of the one before. */
  readonly around: unknown;
  readonly instead: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

interface FenceState {
  readonly caught: { readonly error: unknown } | undefined;
}

/** Stops an error of what is within: something else is drawn in its place, and the rest of the page stays. */
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

/** A part of the page, and how it is loaded. */
interface Part<P> {
  readonly attempt: () => ComponentType<P>;
  /** `lazy` remembers a failure for ever, so after one of them the next attempt is another. */
  latest: ComponentType<P>;
}

/** A named export of a file, loaded when it is first shown. */
export function later<N extends string, P extends object>(
  name: N,
  load: () => Promise<Readonly<Record<N, ComponentType<P>>>>,
): Part<P> {
  const attempt = () =>
    lazy(async () => {
      const loaded = await load();
      return { default: loaded[name] as ComponentType<object> };
    }) as ComponentType<P>;
  return { attempt, latest: attempt() };
}

interface LaterProps<P> {
  readonly part: Part<P>;
  /** In its place until it is there. */
  readonly waiting?: ReactNode;
  /** Gives up wanting it where it cannot be loaded: what opens over the page does not open minutes later. */
  readonly onMissing?: () => void;
  readonly children: (Loaded: ComponentType<P>) => ReactNode;
}

export function Later<P>({ part, waiting, onMissing, children }: LaterProps<P>) {
  const [Loaded, setLoaded] = useState(() => part.latest);
  const onAgain = useCallback(() => setLoaded(() => part.latest), [part]);
  const onFailed = useCallback(() => {
    part.latest = part.attempt();
    onMissing?.();
  }, [part, onMissing]);
  return (
    <Fence
      around={Loaded}
      instead={() => (
        <Missing onFailed={onFailed} onAgain={onAgain}>
          {waiting}
        </Missing>
      )}
    >
      <Suspense fallback={waiting}>{children(Loaded)}</Suspense>
    </Fence>
  );
}

/** Of each part that is wanted and missing, what loads it again. */
const missing = new Set<() => void>();
const isReported = observable(false);

/** Loads what is missing again. */
export function loadMissing(): void {
  isReported.set(false);
  for (const again of [...missing]) again();
}

interface MissingProps {
  readonly onFailed: () => void;
  readonly onAgain: () => void;
  readonly children: ReactNode;
}

/** In the place of a part that could not be loaded. */
function Missing({ onFailed, onAgain, children }: MissingProps) {
  useEffect(() => {
    isReported.set(true);
    missing.add(onAgain);
    onFailed();
    return () => void missing.delete(onAgain);
  }, [onFailed, onAgain]);
  return children;
}

/** Says that a part is missing, until that is closed or the part is loaded again. */
export function MissingParts() {
  if (!useSyncExternalStore(isReported.observe, isReported.get)) return null;
  return (
    <div className="toast" data-bad>
      <div className="toast-main">
        <span role="alert">{texts.trouble.part}</span>
        <div className="toast-ways">
          <Button variant="default" size="xs" onClick={loadMissing}>
            {texts.trouble.again}
          </Button>
          <ReloadButton />
        </div>
      </div>
      <UnstyledButton aria-label={texts.close} onClick={() => isReported.set(false)}>
        <Icon name="close" size={16} />
      </UnstyledButton>
    </div>
  );
}
