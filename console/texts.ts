// Every text that the console shows, in one place, with nicer words for names of the contract where the name alone would not
// do. What has no entry is made from its name, so that something new in the contract reads well at once.

/** Fields, where the name alone would not do. */
export const fieldWords: Readonly<Record<string, string>> = {
  id: 'ID',
  did: 'Number',
  country: 'Country name',
  country_code: 'Country',
  subscription_status: 'Subscription',
  frequency: 'Billing',
  activation: 'One-time charge',
  monthly: 'Monthly charge',
  incoming: 'Incoming rate',
  created_at: 'Added',
  activated_at: 'Activated',
  next_payment_at: 'Next payment',
  is_active_spam_check: 'Spam check',
  is_spammed: 'Spam flag',
  spam_checked_at: 'Last spam check',
};

/** What a flag says when it is set, and when it is not. */
export const flagWords: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  is_spammed: ['Flagged as spam', 'Not flagged'],
  is_active_spam_check: ['Checked', 'Not checked'],
};

/** Values of open sets; anything else is shown as it is. */
export const valueWords: Readonly<Record<string, string>> = { one_time: 'One-time' };

/** Which values stand out, and how. */
export const valueTones: Readonly<Record<string, 'good' | 'wait' | 'bad'>> = {
  active: 'good',
  configuration_awaiting: 'wait',
  suspended: 'wait',
  blocked: 'bad',
};

/** Flags that stand out when they are set. */
export const flagTones: Readonly<Record<string, 'good' | 'bad'>> = { is_spammed: 'bad' };

/** Columns that are there to be chosen, but not at first, by list. */
export const notAtFirst: Readonly<Record<string, readonly string[]>> = {
  virtual_numbers: [
    'id',
    'country_code',
    'country',
    'provider',
    'frequency',
    'activation',
    'incoming',
    'created_at',
    'activated_at',
    'is_active_spam_check',
    'spam_checked_at',
  ],
  additional_services: ['id', 'activation', 'activated_at'],
};

/** The counts that make pictures at a glance: the first two that a list has. */
export const pictured: readonly string[] = [
  'country_codes',
  'statuses',
  'subscription_statuses',
  'frequencies',
];

const SNAKE = /^[a-z]+(?:_[a-z]+)*$/;

function sentence(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `next_charge_at` -> `Next charge` */
export function fieldLabel(name: string): string {
  return fieldWords[name] ?? sentence(name.replace(/^is_/, '').replace(/_at$/, ''));
}

/** A value of an open set, for people. */
export function valueLabel(value: string): string {
  if (value === '') return texts.nothing;
  return valueWords[value] ?? (SNAKE.test(value) ? sentence(value) : value);
}

export function flagLabel(field: string, value: boolean): string {
  return flagWords[field]?.[value ? 0 : 1] ?? `${fieldLabel(field)}: ${value ? texts.yes : texts.no}`;
}

export const texts = {
  product: 'Linecard',
  yes: 'Yes',
  no: 'No',
  nothing: '(none)',
  empty: '–',
  loading: 'Loading',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  skip: 'Skip to the list',
  views: 'Lists',
  reference: 'API reference',
  themes: { label: 'Colours', auto: 'As the system', light: 'Light', dark: 'Dark' },
  menu: 'Account and settings',
  signOut: 'Sign out',
  signIn: {
    title: 'Your numbers and services, at a glance',
    token: 'API token',
    about:
      'Your provider gave you a token that begins with lc_. It stays in this browser tab and is forgotten when you close it.',
    placeholder: 'lc_…',
    go: 'Sign in',
    show: 'Show or hide the token',
    empty: 'Paste your token to sign in.',
    expired:
      'Your token is not valid any more: it has expired or was revoked. Sign in with another one to go on where you were.',
    left: 'You are signed out.',
    wrong: 'This token is not valid. Check that all of it was pasted, and that it has not expired.',
  },
  live: {
    live: 'Up to date',
    away: 'No connection. Trying again…',
    paused: 'Paused',
    changed: 'The list has changed',
    show: 'Show it',
  },
  search: {
    label: (title: string) => `Search ${title.toLowerCase()}`,
    placeholder: (fields: string) => `Search ${fields}`,
    clear: 'Clear search',
  },
  filters: {
    title: 'Filters',
    open: 'Filters',
    on: (count: string) => `${count} on`,
    active: 'Active filters',
    clear: 'Clear all',
    remove: (what: string) => `Remove filter ${what}`,
    search: (what: string) => `Search “${what}”`,
    more: (count: string) => `Show ${count} more`,
    fewer: 'Show fewer',
    others: (count: string) => `${count} in others`,
    from: 'From',
    to: 'To',
    fromThen: (what: string) => `from ${what}`,
    toThen: (what: string) => `to ${what}`,
    values: (what: string) => `${what}, one or more`,
    valuesHint: 'One, or several with commas',
    count: (count: string) => `${count} match`,
    results: (count: string) => `Show ${count}`,
  },
  glance: {
    title: 'At a glance',
    monthly: 'Monthly charges',
    aMonth: 'a month',
    oneTime: (sum: string) => `${sum} one-time`,
    due: 'Falling due',
    within: (days: string) => `next ${days} days`,
    dueSummary: (sum: string) => `${sum} a month`,
    dueDay: (day: string, count: string) => `${day}: ${count} due`,
    dueNone: 'Nothing falls due in the next two weeks.',
    today: 'Today',
    by: (what: string) => `By ${what.toLowerCase()}`,
    rest: 'Others',
    flagged: (count: string) => `${count} flagged as spam`,
    noneFlagged: 'None flagged as spam',
    showOnly: (what: string) => `Show only ${what}`,
  },
  table: {
    caption: (title: string) => title,
    sortBy: (what: string) => `Sort by ${what}`,
    columns: 'Columns',
    columnsUsual: 'Usual columns',
    open: (what: string) => `Open ${what}`,
    shown: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
    none: '0 of 0',
    rows: 'Rows a page',
    rowsShort: 'a page',
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    page: (page: string, pages: string) => `Page ${page} of ${pages}`,
    changed: 'changed just now',
    sort: 'Sort',
    ascending: 'ascending',
    descending: 'descending',
    usualOrder: 'Usual order',
  },
  nothingFound: {
    title: 'Nothing matches',
    hint: 'All of these must hold. Without one of them there would be more:',
    drop: (what: string) => `Without ${what}`,
    noPage: 'This page is past the end of the list.',
    firstPage: 'Go to the first page',
    account: (title: string) => `There are no ${title.toLowerCase()} on this account yet.`,
    accountHint: 'They appear here as soon as your provider adds them.',
  },
  trouble: {
    title: 'This did not work',
    network: 'The service cannot be reached. Check your connection; it is tried again by itself.',
    rateLimited: (seconds: string) => `Too many requests for now. It is tried again in ${seconds} seconds.`,
    invalid: 'This address asks for something that does not exist.',
    again: 'Try again',
    request: 'Request id',
    start: 'Start with the whole list',
    code: 'The page met a fault of its own. Loading it again usually helps.',
    reload: 'Load the page again',
  },
  details: {
    title: (one: string) => `Details of the ${one}`,
    exact: 'UTC',
    copyValue: (what: string) => `Copy ${what}`,
    previous: 'Previous',
    next: 'Next',
  },
  export: {
    label: 'Export',
    all: (count: string) => `Export ${count}`,
    title: 'Export',
    spreadsheet: 'Excel spreadsheet (.xlsx)',
    csv: 'CSV (.csv)',
    ndjson: 'JSON lines (.ndjson)',
    running: (done: string, total: string) => `${done} of ${total} rows`,
    starting: 'Preparing the file…',
    cancel: 'Cancel export',
    done: (file: string) => `${file} is in your downloads`,
    cancelled: 'Export cancelled. Nothing was saved.',
    unsupported: 'This service does not make spreadsheets yet. Take CSV, which every spreadsheet opens.',
    brokenOff: 'The export broke off, and nothing was saved. Try again.',
  },
  copyAs: {
    label: 'Copy as',
    curl: 'curl',
    cli: 'linecard command',
    typescript: 'TypeScript',
    link: 'Link to this view',
    done: (what: string) => `Copied as ${what}`,
    linkDone: 'Link copied',
  },
  palette: {
    open: 'Search or jump to…',
    label: 'Search or jump to a view, filter or action',
    placeholder: 'Type a number, a country, a status, an action…',
    nothing: 'Nothing like that here',
    searchFor: (q: string, title: string) => `Search ${title.toLowerCase()} for “${q}”`,
    goTo: (title: string) => `Go to ${title.toLowerCase()}`,
    only: (field: string, value: string) => `${field}: ${value}`,
    sort: (field: string) => `Sort by ${field.toLowerCase()}`,
    hint: 'Arrow keys to choose, Enter to go, Esc to close',
  },
} as const;
