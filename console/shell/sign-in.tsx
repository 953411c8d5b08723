// Sign-in, in place of the view that the address names, which is shown afterwards.

import { Button, NativeSelect, PasswordInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { BASE, checkToken, clientFor, isSignedOut } from '../linecard.ts';
import { ACCOUNT, brand } from '../page.ts';
import { accountQuery, queries } from '../queries.ts';
import { isForgetful, isOperators, type SignedOut, signIn } from '../session.ts';
import { chooseLanguage, LANGUAGES, type Language, language, texts } from '../texts.ts';
import { takeFocus } from './focus.ts';
import { Logo } from './logo.tsx';
import { OutsideLink } from './outside.tsx';
import { useTitle } from './title.ts';
import { Failed, onceSentenceOf, SupportLink } from './trouble.tsx';

const words = texts.signIn;
const PLACEHOLDER = 'lc_…';
const TOKEN = /^lco?_[0-9A-Za-z]{42}$/;

/** With what is code in its font. */
const coded = (text: string) =>
  text.split(/(lc_|--may read)/).map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : part));

/** The token of an operator is of no account. */
async function checkOperator(token: string): Promise<void> {
  await clientFor(token).accounts({ page_size: 1 });
}

interface TokenFormProps {
  readonly about: string;
  /** Whether the token is for all tabs, or for this one alone. */
  readonly source: 'pasted' | 'tab';
  readonly onDone?: () => void;
}

function useSignIn({ source, onDone }: TokenFormProps) {
  const [fault, setFault] = useState<string>();
  /** Why a token could not be checked, which says nothing of it. */
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const onSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setFault(undefined);
    setFailure(undefined);
    const given = new FormData(event.currentTarget).get('token');
    const token = typeof given === 'string' ? given.trim().replace(/^bearer\s+/i, '') : '';
    if (token === '') return setFault(words.empty);
    if (!/^[!-~]+$/.test(token)) return setFault(words.wrong);
    setBusy(true);
    try {
      const account = isOperators(token) ? await checkOperator(token) : await checkToken(token);
      signIn(token, source);
      // The address may name one below it.
      if (ACCOUNT === undefined && account !== undefined)
        queries.setQueryData(accountQuery().queryKey, account);
      onDone?.();
    } catch (error) {
      const known = isOperators(token) ? words.wrongOperator : words.wrong;
      const rejected = TOKEN.test(token) ? known : words.cut;
      if (isSignedOut(error)) setFault(rejected);
      else setFailure(onceSentenceOf(error));
      setBusy(false);
    }
  };
  return { fault, failure, isBusy, onSubmit };
}

export function TokenForm(props: TokenFormProps) {
  const { fault, failure, isBusy, onSubmit } = useSignIn(props);
  return (
    <form className="token-form" onSubmit={(event) => void onSubmit(event)} noValidate>
      <PasswordInput
        name="token"
        label={words.token}
        description={coded(props.about)}
        placeholder={PLACEHOLDER}
        error={fault && coded(fault)}
        errorProps={{ role: 'alert' }}
        aria-invalid={fault !== undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        size="md"
        data-autofocus
        ref={takeFocus}
        visibilityToggleButtonProps={{ 'aria-label': words.show, tabIndex: 0 }}
      />
      {failure !== undefined && <Failed said={failure} />}
      <Button type="submit" size="md" fullWidth loading={isBusy}>
        {words.go}
      </Button>
    </form>
  );
}

function LanguageSelect() {
  return (
    <NativeSelect
      size="xs"
      aria-label={texts.language}
      value={language}
      data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
    />
  );
}

export function SignIn({ why }: { readonly why: SignedOut }) {
  useTitle(words.go);
  // What such a frame was signed in with is forgotten: only the page around it has another link.
  const [isReload, setReload] = useState(() => why === 'new' && window.parent !== window && isForgetful());
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Logo size={44} />
        <h1 className={brand.isLogoName ? 'hidden' : undefined}>{texts.product}</h1>
        <p className="sign-in-lead">{words.title}</p>
        {why !== 'new' && (
          <p className="notice" role="status">
            {words[why]}
          </p>
        )}
        {isReload ? (
          <>
            <p className="notice" role="status">
              {words.reload}
            </p>
            <Button variant="default" fullWidth onClick={() => setReload(false)}>
              {words.useToken}
            </Button>
          </>
        ) : (
          <TokenForm about={words.about} source="pasted" />
        )}
        <div className="flow apart sign-in-more">
          <OutsideLink href={`${BASE}/docs`}>{texts.reference}</OutsideLink>
          <SupportLink />
          <LanguageSelect />
        </div>
      </div>
    </main>
  );
}
