// A sign-in link that was opened where somebody is signed in: for another account it asks, for the same one
// it is taken without a word. One that is not valid leads to a token, or back.

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type AccountFacts, BASE_PATH, isSignedOut, troubleOf } from '../linecard.ts';
import { ACCOUNT, HOME_SEARCH } from '../page.ts';
import { accountQuery, isRetried, ownAccountQuery, queries } from '../queries.ts';
import { answerLink, isToken } from '../session.ts';
import { texts } from '../texts.ts';
import { useFailure } from '../waiting.ts';
import { PagePlace } from './later.tsx';
import { TokenForm } from './sign-in.tsx';
import { useTitle } from './title.ts';
import { Failed, Trouble } from './trouble.tsx';

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
  return isWrong || its.data === undefined ? (
    <BadLink mine={mine.data} />
  ) : (
    <Question mine={mine.data} its={its.data} />
  );
}

const stay = () => answerLink(false);

/** Of an account that no sign-in link leads to. */
function BadLink({ mine }: { readonly mine: AccountFacts }) {
  const name = mine.name || mine.id;
  const [isTyping, setTyping] = useState(false);
  useTitle(texts.trouble.title);
  return (
    <main id="list" className="plain-page link-question" tabIndex={-1}>
      <h1 className="hidden">{words.title}</h1>
      <Failed said={`${words.signedIn(name)} ${texts.signIn.link}`}>
        <div className="flow trouble-ways">
          <Button variant="default" onClick={stay}>
            {words.stay(name)}
          </Button>
          {!isTyping && (
            <Button variant="default" onClick={() => setTyping(true)}>
              {texts.signIn.useToken}
            </Button>
          )}
        </div>
      </Failed>
      {/* The address may name what is not of the other account. */}
      {isTyping && (
        <TokenForm
          about={texts.accounts.otherAbout}
          source="tab"
          onDone={() => location.assign(BASE_PATH + HOME_SEARCH)}
        />
      )}
    </main>
  );
}

function Question({ mine, its }: { readonly mine: AccountFacts; readonly its: AccountFacts }) {
  useTitle(words.title);
  const isNamesake = its.name === mine.name;
  const nameOf = ({ id, name }: AccountFacts) => (isNamesake && name !== '' ? `${name} (${id})` : name || id);
  return (
    <main id="list" className="plain-page link-question" tabIndex={-1}>
      <h1>{words.title}</h1>
      <p role="status">{`${words.signedIn(nameOf(mine))} ${words.opens(nameOf(its))}`}</p>
      <div className="flow">
        <Button onClick={() => open(its)}>{words.open(nameOf(its))}</Button>
        <Button variant="default" onClick={stay}>
          {words.stay(nameOf(mine))}
        </Button>
      </div>
      <p className="dim">{words.about}</p>
    </main>
  );
}
