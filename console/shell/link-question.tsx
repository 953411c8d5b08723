// A sign-in link that was opened where somebody is signed in: for another account it asks, for the same one
// it is taken without a word.

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type AccountFacts, isSignedOut, troubleOf } from '../linecard.ts';
import { ACCOUNT } from '../page.ts';
import { accountQuery, isRetried, ownAccountQuery, queries } from '../queries.ts';
import { answerLink, isToken } from '../session.ts';
import { texts } from '../texts.ts';
import { useFailure } from '../waiting.ts';
import { PagePlace } from './later.tsx';
import { useTitle } from './title.ts';
import { Trouble } from './trouble.tsx';

const words = texts.linkQuestion;

function open(account: AccountFacts): void {
  answerLink(true);
  // The address may name one below it.
  if (ACCOUNT === undefined) queries.setQueryData(accountQuery().queryKey, account);
}

interface LinkQuestionProps {
  /** Of who is signed in. */
  readonly token: string;
  /** Of the link. */
  readonly offered: string;
}

export function LinkQuestion({ token, offered }: LinkQuestionProps) {
  const mine = useQuery(ownAccountQuery(token));
  const its = useQuery({ ...ownAccountQuery(offered), enabled: isToken(offered) });
  const failure = useFailure(its, offered);
  const isWrong = !isToken(offered) || isSignedOut(failure?.error);
  // A token that may not ask has no account to stay with.
  const isNobody = mine.error !== null && !isRetried(troubleOf(mine.error).code);
  const isSame = mine.data !== undefined && mine.data.id === its.data?.id;
  useEffect(() => {
    if ((isSame || isNobody) && its.data !== undefined) open(its.data);
    if (isNobody && isWrong) answerLink(true);
  }, [isSame, isNobody, isWrong, its.data]);
  if (!isWrong && failure !== undefined) {
    return (
      <main id="list" className="plain-page">
        <Trouble error={failure.error} query={its} />
      </main>
    );
  }
  if (mine.data === undefined || isSame || (its.data === undefined && !isWrong)) return <PagePlace />;
  return <Question mine={mine.data} its={isWrong ? undefined : its.data} />;
}

/** @param its absent for a link that is not valid */
function Question({ mine, its }: { readonly mine: AccountFacts; readonly its: AccountFacts | undefined }) {
  const title = its === undefined ? texts.trouble.title : words.title;
  useTitle(title);
  const isNamesake = its !== undefined && its.name === mine.name;
  const nameOf = ({ id, name }: AccountFacts) => (isNamesake && name !== '' ? `${name} (${id})` : name || id);
  return (
    <main id="list" className="plain-page link-question" tabIndex={-1}>
      <h1>{title}</h1>
      <p role="status">
        {its === undefined
          ? `${words.signedIn(nameOf(mine))} ${texts.signIn.link}`
          : `${words.signedIn(nameOf(mine))} ${words.opens(nameOf(its))}`}
      </p>
      <div className="flow">
        {its !== undefined && <Button onClick={() => open(its)}>{words.open(nameOf(its))}</Button>}
        <Button variant="default" onClick={() => answerLink(false)}>
          {words.stay(nameOf(mine))}
        </Button>
      </div>
      {its !== undefined && <p className="dim">{words.about}</p>}
    </main>
  );
}
