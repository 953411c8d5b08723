// Every text of the console in English. Its type is that of the other languages: a text that one of them
// lacks does not compile.

/** A text with a number, `#`, in each form that the language has for a number (CLDR plural rules). */
export interface Forms {
  readonly one: string;
  /** Of whole millions in French, Portuguese and Spanish: `1.000.000 de pagos`. */
  readonly many?: string;
  readonly other: string;
}

export interface ListWords {
  readonly title: string;
  /** Within a sentence. */
  readonly one: string;
  readonly many: string;
}

type Words = Readonly<Record<string, string>>;
type Translation<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : T extends Forms
      ? Forms
      : { readonly [Name in keyof T]: Translation<T[Name]> };

/** The texts of a language. */
export type Texts = Translation<typeof texts> & {
  /** What the contract has in English: the lists, and what each field means. */
  readonly lists: Readonly<Record<string, ListWords>>;
  readonly about: Words;
  /** What may be wrong with a file that is checked, with the places of the contract's own sentences. */
  readonly checkFaults: Words;
};

/** A label of a field within a sentence: an abbreviation stays as it is. */
const within = (label: string) => label.replaceAll(/(?<=^|, )\p{Lu}(?!\p{Lu})/gu, (one) => one.toLowerCase());

export const texts = {
  yes: 'Yes',
  no: 'No',
  nothing: '(none)',
  empty: '–',
  unreadable: '(cannot be shown)',
  loading: 'Loading',
  close: 'Close',
  copied: 'Copied',
  skip: 'Skip to the content',
  skipToRows: 'Skip to the list',
  views: 'Lists',
  reference: 'API reference',
  support: 'Support',
  quoted: (text: string) => `“${text}”`,
  labelled: (label: string, value: string) => `${label}: ${value}`,
  themes: { label: 'Colours', auto: 'Same as the system', light: 'Light', dark: 'Dark' },
  language: 'Language',
  menu: 'Account and settings',
  signOut: 'Sign out',
  signIn: {
    title: 'Your numbers and services, at a glance',
    token: 'API token',
    about:
      'Your provider gave you a token that begins with lc_. It stays in the open tabs of this browser and is forgotten when the last of them is closed.',
    go: 'Sign in',
    show: 'Show or hide the token',
    empty: 'Paste your token to sign in.',
    expired: 'Your token has expired or was revoked. Sign in with another one to continue where you were.',
    left: 'You are signed out.',
    link: 'Your sign-in link is not valid or has expired. Open a new one where you got it, or sign in with a token.',
    cut: 'A token is lc_ followed by 42 letters and digits. Check that you pasted all of it.',
    wrong: 'This token is unknown, has expired or was revoked. Your provider can give you another.',
    wrongOperator:
      'This is a token of an operator. Either it may not read accounts, which takes --may read, or it is unknown, has expired or was revoked.',
    reload:
      'This browser keeps no sign-in for a page within another one. Reload the page that shows this, or use a token.',
    useToken: 'Sign in with a token',
  },
  linkQuestion: {
    title: 'Which account?',
    signedIn: (name: string) => `You are signed in as ${name}.`,
    opens: (name: string) => `This link opens ${name}.`,
    open: (name: string) => `Open ${name}`,
    stay: (name: string) => `Stay with ${name}`,
    about: 'Other tabs keep their account.',
  },
  accounts: {
    title: 'Accounts',
    choose: (name: string) => `${name}: choose another account`,
    search: 'Search accounts',
    own: 'Your own account',
    below: (name: string) => `Below ${name}`,
    openBelow: (name: string, count: string) => `Below ${name}: ${count}`,
    total: { one: '# account', other: '# accounts' },
    first: (shown: string, total: string) => `The first ${shown} of ${total}. Search to find others.`,
    largest: (shown: string, total: string) =>
      `The ${shown} with the most numbers and services, of ${total}. Search to find others.`,
    byNeed:
      'Those with the most overdue payments come first, then those with the most numbers flagged as spam, then by name.',
    reading: (done: string, of: string) =>
      `Looking for overdue payments and flagged numbers: ${done} of ${of} accounts`,
    withoutCurrency: (amount: string) => `${amount} (no currency)`,
    outOfReach: (id: string) => `You cannot see the account “${id}”, or it does not exist.`,
    back: 'Show your own account',
    other: 'Another account in this tab',
    otherAbout: 'The token of the other account is for this tab. Other tabs keep their account.',
    signedIn: (name: string, until: string) => `Signed in by ${name} until ${until}`,
    signedInUntil: (until: string) => `Signed in until ${until}`,
    asOperator: (name: string) => `You see this account as the operator: ${name}`,
  },
  live: {
    away: 'No connection. Trying again…',
    slow: 'The service takes longer than usual. Still waiting…',
    changed: 'The list has changed',
    show: 'Show it',
  },
  search: {
    label: (title: string) => `Search ${title.toLowerCase()}`,
    placeholder: (fields: string) => `Search ${within(fields)}`,
    /** Where the field has no room for what is searched. */
    short: 'Search',
    clear: 'Clear search',
  },
  filters: {
    title: 'Filters',
    active: 'Active filters',
    clear: 'Clear all',
    remove: (what: string) => `Remove filter ${what}`,
    search: (what: string) => `Search “${what}”`,
    more: { one: 'Show # more', other: 'Show # more' },
    fewer: 'Show fewer',
    others: { one: '# in others', other: '# in others' },
    from: 'From',
    to: 'To',
    /** After the name of a field whose values have a group of their own. */
    further: 'more filters',
    presets: {
      overdue: 'Overdue',
      next: { one: 'Next # day', other: 'Next # days' },
      last: { one: 'Last # day', other: 'Last # days' },
    },
    calendar: (what: string) => `${what}: choose days`,
    previousMonth: 'Previous month',
    nextMonth: 'Next month',
    previousYear: 'Previous year',
    nextYear: 'Next year',
    /** Times, each with the test of its filter. */
    bound: {
      after: (what: string) => `after ${what}`,
      before: (what: string) => `before ${what}`,
      from: (what: string) => `from ${what}`,
      to: (what: string) => `up to ${what}`,
    },
    /** Charges, each with the test of its filter. */
    limit: {
      min: (what: string) => `${what} or more`,
      max: (what: string) => `${what} or less`,
    },
    /** Whether there is a time. */
    isSet: { yes: 'There is one', no: 'None' },
    isNot: (what: string) => `${what} is not`,
    only: (what: string) => `Only ${what}`,
    exclude: (what: string) => `Exclude ${what}`,
    values: (what: string) => `${what}, one or more`,
    notANumber: (value: string) => `“${value}” is not a telephone number such as +44 20 7946 0018.`,
    notAnId: (value: string) => `“${value}” is not an ID, which is a whole number.`,
    notAnInteger: (value: string) => `“${value}” is not a whole number, or is too large.`,
    notAnAmount: (value: string, example: string) => `“${value}” is not an amount such as ${example}.`,
    failed: 'The values cannot be counted right now.',
    noValue: 'No value matches.',
    valuesHint: 'One, or several with commas',
    many: { one: '# value', other: '# values' },
    count: { one: '# match', other: '# matches' },
    results: { one: 'Show # match', other: 'Show # matches' },
  },
  pins: {
    title: 'Pinned views',
    pin: 'Pin this view',
    name: 'Name',
    save: 'Pin',
    remove: (name: string) => `Unpin ${name}`,
  },
  /** Of numbers that were pasted. */
  pasted: {
    found: { one: '# found', other: '# found' },
    missing: { one: '# not on this account', other: '# not on this account' },
    national: { one: '# without a country code', other: '# without a country code' },
    others: { one: '# is not a number', other: '# are not numbers' },
    cut: (numbers: string) => `Only the first ${numbers}. “Check a file” takes more.`,
  },
  glance: {
    title: 'At a glance',
    oneTime: (sum: string) => `${sum} one-time`,
    due: 'Overdue and falling due',
    dueSummary: (sum: string) => `${sum} a month`,
    utcDay: (day: string) => `Payments fall due on days in UTC, where today is ${day}.`,
    repeats:
      'Payments that follow an earlier one of the same item are in the amount; the list shows items by their next payment.',
    by: (what: string) => `By ${within(what)}`,
    rest: 'Others',
    flagged: { one: '# flagged as spam', other: '# flagged as spam' },
    noneFlagged: 'None flagged as spam',
    failed: 'These figures cannot be loaded right now. The page tries again by itself.',
  },
  compare: {
    title: (title: string, by: string) => `${title} by ${within(by)}`,
    open: 'Compare',
    openBy: (what: string) => `Compare by ${within(what)}`,
    by: 'Compare by',
    list: 'Show the list',
    of: (shown: string, all: string) => `${shown} of ${all} values`,
    nothing: 'There are no values to compare.',
    count: 'Count',
    monthly: 'List price a month',
    dueOfFew: (most: string) =>
      `What falls due is compared for at most ${most} values. Choose them in the filters.`,
    payments: 'Payments',
    /** Items without a value, which no link can lead to. */
    empty: {
      one: '# item has no value and is in the total only.',
      other: '# items have no value and are in the total only.',
    },
  },
  overview: {
    title: 'Overview',
    payments: { one: '# payment', other: '# payments' },
    inPayments: (payments: string) => ` in ${payments}`,
    /** All of it. */
    on: (day: string) => `, on ${day}`,
    /** More than on any other day. */
    most: (day: string) => `, with the most on ${day}`,
    overdue: { one: '# overdue', other: '# overdue' },
    overdueOf: (items: string) => `${items} overdue`,
    nothingDue: 'nothing is due',
    unknown: (payments: string) => `${payments} with an unknown billing period, not included in any amount.`,
    empty: 'Nothing is on this account yet',
    emptyHint:
      'Numbers and services appear here as soon as your provider adds them. If you expected some, ask your provider whether this is the right account.',
    byMonth: 'Due by month',
    noCurrency: 'Amounts have no currency: the account has none.',
    restOf: (month: string) => `Rest of ${month}`,
    time: 'Time',
    total: 'Total',
    timeline: 'Due in the next twelve weeks',
    timelineHelp: 'Payments by day. Arrow keys choose a day, Enter opens its list.',
  },
  activity: {
    title: 'Activity',
    since: (day: string) => `Complete since ${day}.`,
    count: { one: '# event', other: '# events' },
    rest: { one: 'and # more', other: 'and # more' },
    first: { one: 'Show the first', other: 'Show the first #' },
    unnamed: 'Which items changed is not recorded: the import filled the list, or changed most of it.',
    more: 'Show earlier events',
    nothing: 'Nothing has happened yet',
    nothingHint: 'What your provider adds, removes or changes appears here.',
    /** Between what a value was and what it became, for a screen reader. */
    became: 'then',
    flagged: {
      one: '# number was flagged as spam since you looked here last',
      other: '# numbers were flagged as spam since you looked here last',
    },
  },
  notifications: {
    title: 'Notifications',
    about: 'With webhooks, your provider tells your programs what happens on this account.',
    howTo: 'How to receive it',
    none: 'No address is set up',
    noneHint: 'Ask your provider for a webhook: it tells a program of yours within seconds what happens.',
    states: { active: 'Active', paused: 'Paused', disabled: 'Disabled' },
    failing: 'Failing',
    retried: 'Deliveries fail and are retried less and less often. Nothing is lost.',
    /** Why it is not active. */
    reasons: {
      paused: 'Your provider has paused it.',
      restored: 'It is paused because the database was restored from a backup, or copied.',
      gone: 'The receiver answered that the address no longer exists (410). Make sure that it works.',
      failing: 'No delivery has succeeded for five days. Make sure that the receiver works.',
    },
    ask: 'Ask your provider to enable it: deliveries continue where they stopped.',
    events: 'Events',
    lastSuccess: 'Last success',
    failingSince: 'Failing since',
    attempts: 'Last attempts',
    allAttempts: 'All attempts',
    noAttempts: 'Nothing has been sent yet.',
    noAnswer: 'No answer',
    took: (milliseconds: string) => `${milliseconds} ms`,
    next: (time: string) => `Next attempt: ${time}`,
  },
  /** What happened to an item. */
  events: {
    added: 'Added',
    removed: 'Removed',
    spam_flagged: 'Flagged as spam',
    spam_cleared: 'No longer flagged',
    status_changed: 'Status changed',
    subscription_changed: 'Subscription changed',
    charges_changed: 'Charges changed',
    changed: 'Changed in any way',
    replaced: 'List replaced',
    payments_due: 'Payments due',
    test: 'Test',
  },
  table: {
    more: 'More',
    columns: 'Columns',
    columnsUsual: 'Usual columns',
    shown: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
    all: { one: '# in all', other: '# in all' },
    rows: 'Rows a page',
    rowsShort: { one: '# a page', other: '# a page' },
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    page: (page: string, pages: string) => `Page ${page} of ${pages}`,
    pages: { one: '# page', other: '# pages' },
    changed: 'changed just now',
    sort: 'Sort',
    ascending: 'ascending',
    descending: 'descending',
    overdue: { one: '# day overdue', other: '# days overdue' },
  },
  nothingFound: {
    title: 'Nothing matches',
    hint: 'An item must match every filter. Remove one to see more:',
    noWay: 'No single filter is the reason: remove several of them.',
    drop: (what: string) => `Without ${what}`,
    noPage: 'This page is past the end of the list.',
    firstPage: 'Go to the first page',
    account: (title: string) => `There are no ${title.toLowerCase()} on this account yet.`,
    accountHint: 'They appear here as soon as your provider adds them.',
  },
  trouble: {
    title: 'This did not work',
    /** By problem code. */
    sentences: {
      network: 'The service cannot be reached. Check your connection.',
      timeout: 'The service did not answer in time.',
      'rate-limited': 'Too many requests.',
      unavailable: 'The service cannot answer right now.',
      internal: 'Something went wrong in the service.',
      'broken-off': 'The answer of the service was cut off.',
      'unexpected-answer': 'The answer is not from the service. If this continues, contact your provider.',
      fault: 'This page has failed. Reloading it usually helps.',
    },
    byItself: 'The page tries again by itself.',
    inSeconds: { one: 'The page tries again in # second.', other: 'The page tries again in # seconds.' },
    later: 'Try again in a moment.',
    noItem: (one: string, id: string) => `There is no ${one} ${id} on this account.`,
    invalid: 'This address asks for something that does not exist.',
    again: 'Try again',
    request: 'Request ID',
    start: 'Show the complete list',
    part: 'A part of this page could not be loaded.',
    reload: 'Reload the page',
  },
  details: {
    title: (one: string) => `Details of the ${one}`,
    billed: (frequency: string) => `billed ${frequency}`,
    copyValue: (what: string) => `Copy ${what}`,
    previous: 'Previous',
    next: 'Next',
    groups: { money: 'Money', state: 'State', dates: 'Dates' },
    history: 'History',
    noHistory: 'No changes are recorded.',
    noHistoryYet: 'The history cannot be loaded right now. The page tries again by itself.',
    allHistory: 'Show the full history',
    since: (day: string) => `since ${day}`,
    sinceAtLeast: (day: string) => `since ${day} or earlier`,
  },
  export: {
    label: 'Export',
    all: { one: 'Export #', other: 'Export #' },
    title: 'Export',
    columns: { shown: 'Visible columns', all: 'All columns' },
    xlsx: 'Excel spreadsheet (.xlsx)',
    csv: 'CSV (.csv)',
    ndjson: 'JSON lines (.ndjson)',
    running: (done: string, total: string) => `${done} of ${total} rows`,
    starting: 'Preparing the file…',
    cancel: 'Cancel export',
    done: (file: string) => `${file} is in your downloads`,
    cancelled: 'Export cancelled. Nothing was saved.',
    brokenOff: 'The export was cut off, and nothing was saved. Try again.',
  },
  ranges: {
    label: 'As ranges',
    /** After “of”. */
    count: { one: '# range', other: '# ranges' },
    title: (title: string) => `${title} as ranges`,
    split: 'A new range also begins with another',
    whole: 'By number only',
    splitBy: (what: string) => `By ${within(what)}`,
    open: { one: 'Show the number in the list', other: 'Show the # numbers in the list' },
  },
  check: {
    label: 'Check a file',
    about:
      'Compares an invoice, or an export of a phone system, with the numbers of the account. The file stays in this browser: nothing of it is sent.',
    filtered: 'Only the numbers that match the filters of the list are compared.',
    choose: 'Choose a file',
    drop: 'or drop it here',
    paste: 'Or paste numbers, or rows of a spreadsheet',
    pasted: 'Pasted',
    numberColumn: 'Column of the numbers',
    byContent: 'Found by its content',
    amountColumn: 'Column of the amounts',
    noColumn: 'None',
    per: { label: 'The amounts are for', payment: 'A payment', month: 'A month' },
    go: 'Check',
    running: 'Checking…',
    summary: (inFile: string, place: string, count: string, time: string) =>
      `Numbers in the file: ${inFile}. ${place}: ${count}, as of ${time}.`,
    onAccount: 'On the account',
    matching: 'On the account, matching the filters',
    same: 'The file and the account agree.',
    groups: {
      both: 'On both',
      only_in_file: 'Only in the file',
      only_on_account: 'Only on the account',
      amounts: 'With another amount',
      twice: 'Twice in the file',
      ambiguous: 'Ambiguous',
    },
    withoutNumber: 'Could not be compared',
    save: (group: string) => `Save “${group}” as CSV`,
    first: { one: 'The first #. The CSV file has all.', other: 'The first #. The CSV file has all.' },
    line: 'Line',
    number: 'In the file',
    amount: 'Amount',
  },
  keys: {
    title: 'Keyboard shortcuts',
    search: 'Search the list',
    palette: 'Search or jump to anything',
    next: 'Next row',
    previous: 'Previous row',
    open: 'Open the details of the row',
    select: 'Select the row',
    filter: 'In a row: filter by its values',
    exclude: 'In the filters: exclude a value',
    close: 'Close what is open',
    names: { enter: 'Enter', escape: 'Esc' },
  },
  select: {
    start: 'Select',
    toCopy: 'Select rows to copy',
    row: (name: string) => `Select ${name}`,
    page: 'Select every row on this page',
    count: { one: '# selected', other: '# selected' },
    clear: 'Clear selection',
    copy: 'Copy',
    names: (title: string) => `Copy ${title.toLowerCase()}, one per line`,
    rows: 'Copy as a table',
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
    key: 'Ctrl K',
    label: 'Search or jump to a number, view, filter or action',
    placeholder: 'Number, country, status, order…',
    searchFor: (q: string, title: string) => `Search ${title.toLowerCase()} for “${q}”`,
    goTo: (title: string) => `Go to ${title.toLowerCase()}`,
    sort: (field: string) => `Sort by ${within(field)}`,
    hint: 'Arrow keys to choose, Enter to go, Esc to close',
  },
  /** Of activity. */
  fields: {
    at: 'Time',
    list: 'List',
    event: 'Event',
    ids: 'ID',
  },
  /** The label of a flag that is set, and of one that is not. */
  flags: {
    is_spammed: { yes: 'Flagged as spam', no: 'Not flagged' },
    is_active_spam_check: { yes: 'Checked', no: 'Not checked' },
  },
  /** The short label of a flag that is shown next to the name of an item. */
  marks: { is_spammed: 'Spam' },
  /** Of fields for which the contract names what is known so far. */
  values: {
    active: 'Active',
    configuration_awaiting: 'Configuration awaiting',
    blocked: 'Blocked',
    released: 'Released',
    disabled: 'Disabled',
    suspended: 'Suspended',
    cancelled: 'Cancelled',
    monthly: 'Monthly',
    quarterly: 'Quarterly',
    yearly: 'Yearly',
    one_time: 'One-time',
  },
};
