// What is said of a page while it is shown: that it has changed, that an answer takes long, or that the
// service cannot be reached.

import { UnstyledButton } from '@mantine/core';
import { Icon } from '../icons.tsx';
import { useFault } from '../live.ts';
import { texts } from '../texts.ts';

const { sentences, byItself } = texts.trouble;

/** Problems without an answer. */
const NO_ANSWER = ['network', 'timeout'];

function sentenceOf(code: string): string {
  if (NO_ANSWER.includes(code)) return texts.live.away;
  const known = Object.hasOwn(sentences, code) ? (code as keyof typeof sentences) : 'internal';
  return `${sentences[known]} ${byItself}`;
}

interface NewsProps {
  readonly isSlow: boolean;
  /** What does not work, if the page itself says so. */
  readonly failure: object | undefined;
  readonly isOutdated?: boolean;
  readonly onShow?: () => void;
}

/**
 * Keeps the page up to date while it is shown. Always in the page: screen readers may not announce a region
 * that appears with its content.
 */
export function News({ isSlow, failure, isOutdated = false, onShow }: NewsProps) {
  const own = useFault();
  const fault = failure === undefined ? own : undefined;
  const isOn = isOutdated || isSlow || fault !== undefined;
  return (
    <div className="news" role="status">
      {isOn && (
        <div className="flow news-box" data-bad={fault !== undefined || undefined}>
          {fault !== undefined && (
            <span>
              <Icon name="warning" size={15} /> {sentenceOf(fault)}
            </span>
          )}
          {isSlow && fault === undefined && <span>{texts.live.slow}</span>}
          {isOutdated && (
            <>
              <span>{texts.live.changed}</span>
              <UnstyledButton className="news-show" onClick={onShow}>
                {texts.live.show}
              </UnstyledButton>
            </>
          )}
        </div>
      )}
    </div>
  );
}
