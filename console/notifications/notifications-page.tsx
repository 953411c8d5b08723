// Where what happens is sent: each webhook endpoint of the account, how it is doing, and the last attempts.
// Only the operator can change it.

import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EventMark } from '../activity/entry.tsx';
import { lists } from '../contract.ts';
import { shownCount, shownText } from '../format.ts';
import { BASE, listedAttempts, type Webhook } from '../linecard.ts';
import { News } from '../list/news.tsx';
import { Time } from '../list/value.tsx';
import { webhookQuery, webhooksQuery } from '../queries.ts';
import { OutsideLink } from '../shell/outside.tsx';
import { useTitle } from '../shell/title.ts';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { shownUntil } from '../times.ts';
import { useWaiting } from '../waiting.ts';

const words = texts.notifications;
/** The section of the reference. */
const REFERENCE = `${BASE}/docs#webhooks`;
const SUCCESS = /^2\d\d$/;

export function NotificationsPage() {
  useTitle(words.title);
  const query = useQuery(webhooksQuery());
  const { failure, isSlow } = useWaiting(query, words.title);
  const { data } = query;
  return (
    <main id="list" className="notifications" tabIndex={-1}>
      <h1>{words.title}</h1>
      <p className="dim">
        {words.about} <OutsideLink href={REFERENCE}>{words.howTo}</OutsideLink>
      </p>
      {failure !== undefined ? (
        <Trouble error={failure.error} query={query} />
      ) : data === undefined ? (
        <div className="panel" role="status" aria-label={texts.loading} aria-busy="true">
          <span className="bone" data-wide />
          <span className="bone" />
        </div>
      ) : data.length === 0 ? (
        <div className="empty" role="status">
          <h2>{words.none}</h2>
          <p>{words.noneHint}</p>
        </div>
      ) : (
        data.map((webhook) => <Endpoint key={webhook.id} webhook={webhook} />)
      )}
      <News {...{ isSlow, failure }} />
    </main>
  );
}

interface EndpointProps {
  readonly webhook: Webhook;
}

interface Health {
  /** Plain where it is somebody's decision. */
  readonly tone: 'good' | 'plain' | 'wait' | 'bad';
  readonly label: string;
  /** What it means, and what to do. */
  readonly why?: string;
}

function healthOf({ status, reason, failing_since }: Webhook): Health {
  const states = new Map(Object.entries(words.states));
  const label = states.get(status) ?? shownText(status);
  if (status !== 'active') {
    const why = new Map(Object.entries(words.reasons)).get(reason ?? status);
    const tone = status !== 'paused' ? 'bad' : reason === null ? 'plain' : 'wait';
    return { tone, label, why: why === undefined ? words.ask : `${why} ${words.ask}` };
  }
  if (failing_since === null) return { tone: 'good', label };
  return { tone: 'wait', label: words.failing, why: words.retried };
}

function Endpoint({ webhook }: EndpointProps) {
  const { id, name, url } = webhook;
  const { tone, label, why } = healthOf(webhook);
  const { host } = new URL(url);
  return (
    <section className="panel endpoint" aria-labelledby={`endpoint-${id}`}>
      <div className="flow">
        <h2 id={`endpoint-${id}`}>{name === '' ? host : shownText(name)}</h2>
        {name !== '' && <span className="dim">{host}</span>}
        <span className="pill" data-tone={tone}>
          {label}
        </span>
      </div>
      {why !== undefined && <p>{why}</p>}
      <Facts webhook={webhook} />
      <h3>{words.attempts}</h3>
      <Attempts webhook={webhook} />
    </section>
  );
}

function Facts({ webhook }: EndpointProps) {
  const { events, succeeded_at, failing_since } = webhook;
  const titles = webhook.lists.map((name) => lists.find((list) => list.name === name)?.title ?? name);
  return (
    <dl className="fields">
      <Fact label={words.events}>
        <span className="flow happened-items">
          {events.map((event) => (
            <EventMark key={event} event={event} />
          ))}
        </span>
      </Fact>
      <Fact label={texts.views}>{titles.join(', ')}</Fact>
      <Fact label={words.lastSuccess}>
        {succeeded_at === null ? texts.empty : <Time value={succeeded_at} />}
      </Fact>
      {failing_since !== null && (
        <Fact label={words.failingSince}>
          <Time value={failing_since} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div className="field">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The last few, and all where that is wanted. */
function Attempts({ webhook: { id, attempts } }: EndpointProps) {
  const [isAll, setAll] = useState(false);
  const all = useQuery({ ...webhookQuery(id), enabled: isAll });
  const mayBeMore = attempts.length >= listedAttempts;
  if (attempts.length === 0) return <p className="dim">{words.noAttempts}</p>;
  return (
    <>
      <AttemptList attempts={all.data?.attempts ?? attempts} />
      {mayBeMore && all.data === undefined && (
        <UnstyledButton className="facet-more" aria-busy={all.isLoading} onClick={() => setAll(true)}>
          {words.allAttempts}
        </UnstyledButton>
      )}
    </>
  );
}

function AttemptList({ attempts }: Pick<Webhook, 'attempts'>) {
  return (
    <ol className="attempts">
      {attempts.map(({ at, message_id, type, status, fault, ms, next_at }) => {
        const isDone = SUCCESS.test(String(status));
        return (
          <li key={`${at} ${message_id}`} className="happened">
            <Time value={at} />
            <EventMark event={type.split('.').at(-1) ?? type} />
            <div className="flow happened-items">
              <span className="pill" data-tone={isDone ? 'good' : 'bad'}>
                {status ?? words.noAnswer}
              </span>
              {fault !== null && <span dir="auto">{shownText(fault)}</span>}
              <span className="dim">{words.took(shownCount(ms))}</span>
              {next_at !== null && <span className="dim">{words.next(shownUntil(next_at))}</span>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
