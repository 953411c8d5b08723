// The language of the console, and its texts: the language that `?lang=` of the address names, else the one
// chosen before, else the first of the browser's that the console speaks. Another choice reloads the page.

import { brand, page } from './page.ts';
import { texts as english, type Texts } from './texts/en.ts';

/** English is part of the first load. A file of texts imports nothing: what loads it waits for it. */
const OTHERS = {
  de: () => import('./texts/de.ts'),
  es: () => import('./texts/es.ts'),
  fr: () => import('./texts/fr.ts'),
  'pt-BR': () => import('./texts/pt-br.ts'),
} as const;

export type Language = 'en' | keyof typeof OTHERS;

/** Each in its own words. */
export const LANGUAGES: Readonly<Record<Language, string>> = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  'pt-BR': 'Português (Brasil)',
};

const PARAMETER = 'lang';
const KEY = 'linecard-language';

const base = (tag: string) => tag.toLowerCase().split('-')[0];

/** `de-AT` is read in German. */
function languageOf(tag: string | null): Language | undefined {
  const known = Object.keys(LANGUAGES) as Language[];
  return known.find((one) => tag !== null && base(one) === base(tag));
}

/** Removes the language from the address, which then is the view alone, and remembers it. */
function takeFromAddress({ location, history }: NonNullable<typeof page>): Language | undefined {
  const address = new URL(location.href);
  const language = languageOf(address.searchParams.get(PARAMETER));
  if (address.searchParams.has(PARAMETER)) {
    address.searchParams.delete(PARAMETER);
    history.replaceState(history.state, '', address);
  }
  if (language !== undefined) remember(language);
  return language;
}

/** @returns false in a browser that stores nothing */
function remember(language: Language): boolean {
  try {
    localStorage.setItem(KEY, language);
    return true;
  } catch {
    return false;
  }
}

function remembered(): Language | undefined {
  try {
    return languageOf(localStorage.getItem(KEY));
  } catch {
    return undefined;
  }
}

function chosenLanguage(): Language {
  if (page === undefined) return 'en';
  const ofBrowser = navigator.languages.map(languageOf).find((one) => one !== undefined);
  return takeFromAddress(page) ?? remembered() ?? ofBrowser ?? 'en';
}

const chosen = chosenLanguage();
const loaded =
  chosen === 'en'
    ? english
    : await OTHERS[chosen]().then(
        (file) => file.texts,
        () => english,
      );

export const language: Language = loaded === english ? 'en' : chosen;
export const texts: Texts & { readonly product: string } = {
  lists: {},
  about: {},
  checkFaults: {},
  ...loaded,
  product: brand.name,
};
/** For `Intl`: the reader's own variety of the language, such as `en-GB`. */
export const locale = (page && navigator.languages.find((tag) => languageOf(tag) === language)) ?? language;

if (page !== undefined) page.document.documentElement.lang = language;

export function chooseLanguage(next: Language): void {
  if (page === undefined) return;
  const { location } = page;
  if (remember(next)) return location.reload();
  const address = new URL(location.href);
  address.searchParams.set(PARAMETER, next);
  location.assign(address);
}
