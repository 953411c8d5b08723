// Parts of the page that come after the first view: loaded by themselves, each with something of its size
// in its place. One that cannot be loaded is requested again, and takes nothing else with it.

import { type ComponentType, lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import { Fence } from './fence.tsx';
import { Missing } from './missing-parts.tsx';

/** A part of the page, and how it is loaded. */
interface Part<P> {
  readonly attempt: () => ComponentType<P>;
  /** `lazy` remembers a failure for ever, so after one of them the next attempt is another. */
  latest: ComponentType<P>;
}

/** A named export of a file, brought when it is first shown. */
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
