// Errors for customers: what it means, what to do, and the id by which the operator finds the request.

import { Button, Loader } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { goToView, useList, useLists, ViewLink } from '../address.tsx';
import { EMPTY_VIEW, type ListFacts, lists } from '../contract.ts';
import { plural } from '../format.ts';
import { Icon } from '../icons.tsx';
import { BASE_PATH, noSuchPage, outOfReach, type Trouble as TroubleFacts, troubleOf } from '../linecard.ts';
import { brand, HOME_SEARCH } from '../page.ts';
import { isRetried } from '../queries.ts';
import { PageLink, useAddress } from '../router.tsx';
import { currentSession, isOperators } from '../session.ts';
import { texts } from '../texts.ts';
import { CopyText } from './copy-text.tsx';
import { OutsideLink } from './outside.tsx';
import { useTitle } from './title.ts';

const words = texts.trouble;

/** What the service says of other problems is shown as it is: in English. */
const isForeign = (code: string) =>
  !Object.hasOwn(words.sentences, code) && !['not-found', 'invalid-parameter'].includes(code);

/** What happened. The service's own sentences about a query are good as they are. */
function sentenceOf({ code, detail, requestId }: TroubleFacts): string {
  if (Object.hasOwn(words.sentences, code)) return words.sentences[code as keyof typeof words.sentences];
  // The service reports a missing item without a request id; this answer came from something in between.
  if (code === 'not-found' && requestId !== undefined) return words.sentences['unexpected-answer'];
  return code === 'invalid-parameter' ? words.invalid : detail;
}

/** The same for an action that is not retried. */
export function onceSentenceOf(error: unknown): string {
  const trouble = troubleOf(error);
  const what = sentenceOf(trouble);
  return isRetried(trouble.code) ? `${what} ${words.later}` : what;
}

/** Seconds left of those that an answer named. */
function useSecondsLeft(error: unknown, seconds: number): number {
  const [counted, setCounted] = useState({ error, left: seconds });
  // Another error is another answer, even with the same number of seconds.
  if (counted.error !== error) setCounted({ error, left: seconds });
  useEffect(() => {
    const count = () => setCounted(({ error: same, left }) => ({ error: same, left: Math.max(0, left - 1) }));
    const timer = setInterval(count, 1_000);
    return () => clearInterval(timer);
  }, []);
  return counted.left;
}

/** When it is retried. Outside the alert, because it changes every second. */
function Again({ error, code, seconds }: { error: unknown; code: string; seconds: number }) {
  const left = useSecondsLeft(error, seconds);
  if (!isRetried(code)) return null;
  return <p>{left > 0 ? plural(words.inSeconds, left) : words.byItself}</p>;
}

interface Query {
  readonly refetch: () => unknown;
  readonly isFetching: boolean;
}

interface TroubleProps {
  readonly error: unknown;
  /** Can be sent again. */
  readonly query?: Query;
  readonly children?: ReactNode;
}

interface FailedProps {
  /** What did not work, and what to do. */
  readonly said: ReactNode;
  readonly lang?: string | undefined;
  readonly children?: ReactNode;
}

/** How every failure looks that has a place of its own. */
export function Failed({ said, lang, children }: FailedProps) {
  return (
    <div className="trouble">
      <span className="trouble-mark">
        <Icon name="warning" size={22} />
      </span>
      <div>
        <div role="alert">
          <h2>{words.title}</h2>
          <p lang={lang}>{said}</p>
        </div>
        {children}
      </div>
    </div>
  );
}

/** Does not change during a retry: each change of the alert is announced. */
export function Trouble({ error, query, children }: TroubleProps) {
  const trouble = troubleOf(error);
  const { code, faults, requestId, retryAfter = 0 } = trouble;
  const canHelp = !['not-found', 'invalid-parameter'].includes(code);
  return (
    <Failed said={sentenceOf(trouble)} lang={isForeign(code) ? 'en' : undefined}>
      {faults.length > 0 && (
        <ul>
          {faults.map(({ parameter, value, detail }) => (
            <li key={detail}>
              <strong dir="ltr">{[parameter, value].filter((part) => part !== undefined).join('=')}</strong>
              <p className="dim" lang="en">
                {detail}
              </p>
            </li>
          ))}
        </ul>
      )}
      <Again error={error} code={code} seconds={retryAfter} />
      {requestId !== undefined && (
        <p className="trouble-id">
          {words.request} <CopyText value={requestId} label={words.request} />
        </p>
      )}
      <div className="row trouble-ways">
        {code === 'fault' && <ReloadButton />}
        {query !== undefined && canHelp && <AgainButton query={query} />}
        {children}
        <SupportLink />
      </div>
    </Failed>
  );
}

/** Not `disabled` during a retry, which would lose the focus. */
function AgainButton({ query }: { readonly query: Query }) {
  const { isFetching } = query;
  return (
    <Button
      variant="default"
      size="sm"
      aria-disabled={isFetching}
      leftSection={isFetching ? <Loader size={14} /> : undefined}
      onClick={() => isFetching || query.refetch()}
    >
      {words.again}
    </Button>
  );
}

/** Reloads the page with the current scripts of the service. */
export function ReloadButton() {
  return (
    <Button variant="default" size="xs" onClick={() => location.reload()}>
      {words.reload}
    </Button>
  );
}

/** Where the operator helps. */
export function SupportLink() {
  return brand.supportUrl === undefined ? null : (
    <OutsideLink href={brand.supportUrl}>{texts.support}</OutsideLink>
  );
}

function PlainPage({ title, ...trouble }: TroubleProps & { readonly title: string }) {
  useTitle(words.title);
  return (
    <main id="list" className="plain-page">
      <h1 className="hidden">{title}</h1>
      <Trouble {...trouble} />
    </main>
  );
}

/** In place of a view: a wrong address, or an error of the page. */
export function TroublePage({ error, list: shown }: { readonly error: unknown; readonly list?: ListFacts }) {
  const list = useList() ?? shown;
  return (
    <PlainPage error={error} title={list?.title ?? words.title}>
      {list === undefined ? (
        <PageLink path="">{texts.overview.title}</PageLink>
      ) : (
        <ViewLink list={list} view={EMPTY_VIEW}>
          {words.start}
        </ViewLink>
      )}
    </PlainPage>
  );
}

/** In place of every view of an account that the token does not reach. */
export function OutOfReach() {
  return (
    <PlainPage error={outOfReach} title={texts.accounts.title}>
      <a href={BASE_PATH + HOME_SEARCH}>
        {isOperators(currentSession().token) ? texts.accounts.title : texts.accounts.back}
      </a>
    </PlainPage>
  );
}

/** For the address of a list that the token does not see: the first one that it does. */
export function Elsewhere() {
  const [word] = useAddress().path;
  const [first] = useLists();
  const next = lists.some((list) => list.word === word) ? first : undefined;
  useEffect(() => {
    if (next !== undefined) goToView(next, EMPTY_VIEW, undefined, { replace: true });
  }, [next]);
  return next === undefined ? <NoSuchPage /> : null;
}

/** For an address that leads nowhere. */
export function NoSuchPage() {
  return <TroublePage error={noSuchPage} />;
}
