// Shows texts without the secrets that people put into them: credentials and secret parameters of addresses,
// tokens and secrets by their form. What is shown instead is `***`. Every message of the commands and the log
// of the server pass through it, because a message may repeat what was given.

const HIDDEN = '***';

/** Tokens, secrets of webhooks, access tokens, and what follows a scheme of `Authorization`. */
const BY_FORM: readonly (readonly [form: RegExp, shown: string])[] = [
  [/\b(lco?_)[0-9A-Za-z]{16,}/g, `$1${HIDDEN}`],
  [/\b(whsec_)[0-9A-Za-z+/=_-]{16,}/g, `$1${HIDDEN}`],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, HIDDEN],
  [/\b(Bearer|Basic) [\w+/=.~-]{20,}/gi, `$1 ${HIDDEN}`],
];

/** A parameter that is secret, of an address or of libpq's `name=value` form. */
const PARAMETER =
  /(^|[?&;#\s-])((?:ssl)?password|passwd|pwd|pass|passphrase|(?:client|webhook)?[-_]?secret|(?:access|id|refresh|intake|auth)?[-_]?token|api[-_]?key|signing[-_]key|key|sig|signature|authorization)=[^&;#\s"<>`]*/gi;
/** The schemes of whose addresses a user name alone may be a token. */
const WEB = /^(?:(?:https?|wss?|ftp):[/\\]*|[/\\]+)$/i;
/** An address in a sentence, up to what cannot be in one. */
const ADDRESS = /\b([a-z][a-z\d+.-]{0,20}:[/\\]{2})([^\s"<>`]*)/gi;
/** What is before the user name: browsers also read `https:user@host` and `//user@host`. */
const BEFORE_USER = /^(?:[a-z][a-z\d+.-]{0,20}:[/\\]+|[/\\]{2,}|https?:)/i;
/** As sentences say what an address looks like. */
const PLACEHOLDER = 'user:password';
const MAIL = /^mailto:/i;

const withoutParameters = (text: string) => text.replace(PARAMETER, `$1$2=${HIDDEN}`);

/**
 * What follows the scheme, without credentials. An address that is not well-formed may have any character in
 * its password, so in doubt all up to the last `@` is hidden.
 */
function withoutCredentials(scheme: string, rest: string): string {
  const at = rest.lastIndexOf('@');
  if (at < 0 || rest.slice(0, at) === PLACEHOLDER) return rest;
  const [authority = ''] = rest.split(/[/?#\\]/, 1);
  const isUserAlone = !authority.includes(':') && !(WEB.test(scheme) && authority.includes('@'));
  return isUserAlone ? rest : `${HIDDEN}${rest.slice(at)}`;
}

const byForm = (text: string) => BY_FORM.reduce((shown, [form, by]) => shown.replace(form, by), text);

/** An address, or what was given in the place of one: all of the text is its. */
export function shownAddress(text: string): string {
  if (MAIL.test(text)) return byForm(withoutParameters(text));
  const [scheme = ''] = BEFORE_USER.exec(text) ?? [];
  return byForm(withoutParameters(scheme + withoutCredentials(scheme, text.slice(scheme.length))));
}

/** A sentence, or lines of a log, in which there may be addresses and secrets. */
export function withoutSecrets(text: string): string {
  const plain = text.replace(
    ADDRESS,
    (_, scheme: string, rest: string) => scheme + withoutCredentials(scheme, rest),
  );
  return byForm(withoutParameters(plain));
}
