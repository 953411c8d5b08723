// What is said of a page while it is shown: that it has changed, that an answer takes long, or that the
// service cannot be reached.

import { UnstyledButton } from '@mantine/core';
import { useIsAway } from '../live.ts';
import { texts } from '../texts.ts';

interface NewsProps {
  readonly isSlow: boolean;
  readonly isOutdated?: boolean;
  readonly onShow?: () => void;
}

/**
 * Keeps the page up to date while it is shown. Always in the page: screen readers may not announce a region
 * that appears with its content.
 */
export function News({ isSlow, isOutdated = false, onShow }: NewsProps) {
  const isAway = useIsAway();
  return (
    <div className="row news" role="status" data-on={isOutdated || isSlow || isAway || undefined}>
      {isAway && <span>{texts.live.away}</span>}
      {isSlow && !isAway && <span>{texts.live.slow}</span>}
      {isOutdated && (
        <>
          <span>{texts.live.changed}</span>
          <UnstyledButton className="news-show" onClick={onShow}>
            {texts.live.show}
          </UnstyledButton>
        </>
      )}
    </div>
  );
}
