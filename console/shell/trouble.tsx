// What went wrong, in words that help: what it means for the reader, what to do, and the id under which the
// operator finds it.

import { Button, Loader } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useList, ViewLink } from '../address.tsx';
import { EMPTY_VIEW, lists } from '../contract.ts';
import { Icon } from '../icons.tsx';
import { noSuchPage, type Trouble as TroubleFacts, troubleOf } from '../linecard.ts';
import { isRetried } from '../queries.ts';
import { texts } from '../texts.ts';
import { CopyText } from './copy-text.tsx';
import { useTitle } from './title.ts';

const words = texts.trouble;

/** What happened. What the service says of a query it says well itself. */
function sentenceOf({ code, detail, requestId }: TroubleFacts): string {
  if (Object.hasOwn(words.sentences, code)) return words.sentences[code as keyof typeof words.sentences];
  // An item that is not there is reported here, and has no id: this answer is of something in between.
  if (code === 'not-found' && requestId !== undefined) return words.sentences['unexpected-answer'];
  return code === 'invalid-parameter' ? words.invalid : detail;
}

/** The same for something that is done once: nothing tries it again by itself. */
export function onceSentenceOf(error: unknown): string {
  const trouble = troubleOf(error);
  const what = sentenceOf(trouble);
  return isRetried(trouble.code) ? `${what} ${words.later}` : what;
}

/** How many seconds are left of those that an answer named. */
function useSecondsLeft(error: unknown, seconds: number): number {
  const [counted, setCounted] = useState({ error, left: seconds });
  // Another error is another answer, also where it names as many seconds.
  if (counted.error !== error) setCounted({ error, left: seconds });
  useEffect(() => {
    const count = () => setCounted(({ error: same, left }) => ({ error: same, left: Math.max(0, left - 1) }));
    const timer = setInterval(count, 1_000);
    return () => clearInterval(timer);
  }, []);
  return counted.left;
}

/** When it is tried again: outside of what is announced, since it changes every second. */
function Again({ error, code, seconds }: { error: unknown; code: string; seconds: number }) {
  const left = useSecondsLeft(error, seconds);
  if (!isRetried(code)) return null;
  return <p>{left > 0 ? words.inSeconds(left) : words.byItself}</p>;
}

interface TroubleProps {
  readonly error: unknown;
  readonly onAgain?: () => void;
  readonly isAgain?: boolean;
  readonly children?: ReactNode;
}

/** Stays as it is while it is tried again: what is in the alert is announced whenever it changes. */
export function Trouble({ error, onAgain, isAgain = false, children }: TroubleProps) {
  const trouble = troubleOf(error);
  const { code, faults, requestId, retryAfter = 0 } = trouble;
  const canHelp = !['not-found', 'invalid-parameter'].includes(code);
  return (
    <div className="trouble">
      <span className="trouble-mark">
        <Icon name="warning" size={22} />
      </span>
      <div>
        <div role="alert">
          <h2>{words.title}</h2>
          <p>{sentenceOf(trouble)}</p>
        </div>
        {faults.length > 0 && (
          <ul>
            {faults.map(({ detail }) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        )}
        <Again error={error} code={code} seconds={retryAfter} />
        {requestId !== undefined && (
          <p className="trouble-id">
            {words.request} <CopyText value={requestId} label={words.request} />
          </p>
        )}
        <div className="trouble-ways">
          {code === 'fault' && <ReloadButton />}
          {onAgain !== undefined && canHelp && <AgainButton onAgain={onAgain} isAgain={isAgain} />}
          {children}
        </div>
      </div>
    </div>
  );
}

/** Keeps the focus while it is tried again, which a button that is disabled would lose. */
function AgainButton({ onAgain, isAgain }: { readonly onAgain: () => void; readonly isAgain: boolean }) {
  return (
    <Button
      variant="default"
      size="sm"
      aria-disabled={isAgain}
      leftSection={isAgain ? <Loader size={14} /> : undefined}
      onClick={() => !isAgain && onAgain()}
    >
      {words.again}
    </Button>
  );
}

/** Loads the complete page again, with the scripts that the service has now. */
export function ReloadButton() {
  return (
    <Button variant="default" size="xs" onClick={() => location.reload()}>
      {words.reload}
    </Button>
  );
}

/** In the place of a view: what its address is wrong about, or a fault of the page, with the way out. */
export function TroublePage({ error }: { readonly error: unknown }) {
  const { 0: first } = lists;
  const list = useList() ?? first;
  useTitle(words.title);
  return (
    <main id="list" className="plain-page">
      <h1 className="hidden">{list?.title}</h1>
      <Trouble error={error}>
        {list !== undefined && (
          <ViewLink list={list} view={EMPTY_VIEW}>
            {words.start}
          </ViewLink>
        )}
      </Trouble>
    </main>
  );
}

/** In the place of everything where the address leads to nothing. */
export function NoSuchPage() {
  return <TroublePage error={noSuchPage} />;
}
