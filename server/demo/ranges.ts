// Telephone numbers that regulators keep for films, books and examples, as data: nobody can ever be called by one of
// them. Only these may appear among the sample accounts.

export type NumberKind = 'local' | 'mobile' | 'national' | 'freephone' | 'premium';

/** From the first to the last, both included; without a last only the first. */
type Span = readonly [first: string, last?: string];

export interface Block {
  readonly country_code: string;
  readonly kind: NumberKind;
  /** The city or region of a local block, and what others are called. */
  readonly place: string;
  readonly spans: readonly Span[];
}

function block(country_code: string, kind: NumberKind, place: string, ...spans: Span[]): Block {
  return { country_code, kind, place, spans };
}

/** All numbers that begin so and have so many digits more. */
function every(stem: string, digits: number): Span {
  return [stem + '0'.repeat(digits), stem + '9'.repeat(digits)];
}

// Ofcom, "Telephone numbers for use in TV and radio drama programmes": a thousand in each.
const united_kingdom = [
  block('GB', 'local', 'Leeds', every('+441134960', 3)),
  block('GB', 'local', 'Sheffield', every('+441144960', 3)),
  block('GB', 'local', 'Nottingham', every('+441154960', 3)),
  block('GB', 'local', 'Leicester', every('+441164960', 3)),
  block('GB', 'local', 'Bristol', every('+441174960', 3)),
  block('GB', 'local', 'Reading', every('+441184960', 3)),
  block('GB', 'local', 'Birmingham', every('+441214960', 3)),
  block('GB', 'local', 'Edinburgh', every('+441314960', 3)),
  block('GB', 'local', 'Glasgow', every('+441414960', 3)),
  block('GB', 'local', 'Liverpool', every('+441514960', 3)),
  block('GB', 'local', 'Manchester', every('+441614960', 3)),
  block('GB', 'local', 'London', every('+442079460', 3)),
  block('GB', 'local', 'Tyneside', every('+441914980', 3)),
  block('GB', 'local', 'Belfast', every('+442896496', 3)),
  block('GB', 'local', 'Cardiff', every('+442920180', 3)),
  block('GB', 'local', 'No area', every('+441632960', 3)),
  block('GB', 'mobile', 'Mobile', every('+447700900', 3)),
  block('GB', 'freephone', 'Freephone', every('+448081570', 3)),
  block('GB', 'premium', 'Premium rate', every('+449098790', 3)),
  block('GB', 'national', 'UK-wide', every('+443069990', 3)),
];

// ATIS-0300048, "555 NXX Assignment Guidelines", which the administrator of the North American Numbering Plan follows:
// 555-0100 to 555-0199 of every area code are fictitious numbers. Taken here for Canada, the United States and their
// territories; the plan's other countries have regulators of their own.
const NORTH_AMERICAN_AREAS = {
  CA: {
    Calgary: '403',
    Halifax: '902',
    Montréal: '514',
    Ottawa: '613',
    Québec: '418',
    Regina: '306',
    "St. John's": '709',
    Toronto: '416',
    Vancouver: '604',
    Whitehorse: '867',
    Winnipeg: '204',
  },
  GU: { Guam: '671' },
  PR: { 'San Juan': '787', Ponce: '939' },
  US: {
    Anchorage: '907',
    Atlanta: '404',
    Austin: '512',
    Boston: '617',
    Chicago: '312',
    Dallas: '214',
    Denver: '303',
    Detroit: '313',
    Honolulu: '808',
    Houston: '713',
    'Las Vegas': '702',
    'Los Angeles': '213',
    Miami: '305',
    Minneapolis: '612',
    'New Orleans': '504',
    'New York': '212',
    Philadelphia: '215',
    Phoenix: '602',
    'Portland, Oregon': '503',
    'San Francisco': '415',
    Seattle: '206',
    'Washington, D.C.': '202',
  },
  VI: { 'Charlotte Amalie': '340' },
};

const north_america = Object.entries(NORTH_AMERICAN_AREAS).flatMap(([country_code, areas]) =>
  Object.entries(areas).map(([place, area]) =>
    block(country_code, 'local', place, every(`+1${area}55501`, 2)),
  ),
);

// Bundesnetzagentur, Mitteilung 148/2021, "Rufnummern für Medienproduktionen (Drama Numbers)".
const germany = [
  block('DE', 'local', 'Berlin', every('+493023125', 3)),
  block('DE', 'local', 'Frankfurt am Main', every('+496990009', 3)),
  block('DE', 'local', 'Hamburg', every('+494066969', 3)),
  block('DE', 'local', 'Köln', every('+492214710', 3)),
  block('DE', 'local', 'München', every('+498999998', 3)),
  block(
    'DE',
    'mobile',
    'Mobil',
    ['+4915228817386'],
    ['+4915228895456'],
    ['+4915254599371'],
    ['+491729925904'],
    ['+491729968532'],
    ['+491729973185'],
    ['+491729973186'],
    ['+491729980752'],
    ['+491749091317'],
    ['+491749464308'],
    every('+49176040690', 2),
    every('+4917139200', 2),
  ),
];

// ARCEP, décision 2018-0881 establishing the national numbering plan: numbers for audiovisual works.
const france = [
  block('FR', 'local', 'Île-de-France', every('+3319900', 4)),
  block('FR', 'local', 'Nord-Ouest', every('+3326191', 4)),
  block('FR', 'local', 'Nord-Est', every('+3335301', 4)),
  block('FR', 'local', 'Sud-Est', every('+3346571', 4)),
  block('FR', 'local', 'Sud-Ouest', every('+3353649', 4)),
  block('FR', 'mobile', 'Mobile', every('+3363998', 4)),
];

// ACMA, "Phone numbers for use in TV shows, films and creative works".
const australia = [
  block('AU', 'local', 'New South Wales', every('+6125550', 4), every('+6127010', 4)),
  block('AU', 'local', 'Victoria', every('+6135550', 4), every('+6137010', 4)),
  block('AU', 'local', 'Queensland', every('+6175550', 4), every('+6177010', 4)),
  block('AU', 'local', 'South and West', every('+6185550', 4), every('+6187010', 4)),
  block(
    'AU',
    'mobile',
    'Mobile',
    ['+61491570006'],
    ['+61491570110'],
    ['+61491570156', '+61491570159'],
    ['+61491570313'],
    ['+61491570737'],
    ['+61491571266'],
    ['+61491571491'],
    ['+61491571804'],
    ['+61491572549'],
    ['+61491572665'],
    ['+61491572983'],
    ['+61491573087'],
    ['+61491573770'],
    ['+61491574118'],
    ['+61491574632'],
    ['+61491575254'],
    ['+61491575789'],
    ['+61491576398'],
    ['+61491576801'],
    ['+61491577426'],
    ['+61491577644'],
    ['+61491578148'],
    ['+61491578888'],
    ['+61491578957'],
    ['+61491579212'],
    ['+61491579455'],
    ['+61491579760'],
  ),
  block('AU', 'freephone', 'Freephone', ['+611800160401'], ['+611800975707', '+611800975711']),
  block('AU', 'premium', 'Premium rate', ['+611900654321']),
];

// ComReg, National Numbering Plan: 020 91 is kept for drama.
const ireland = [block('IE', 'local', 'Ireland', every('+3532091', 5))];

// PTS (Post- och telestyrelsen), "Telefonnummer för användning i böcker och filmer".
const sweden = [
  block('SE', 'local', 'Göteborg', every('+463139006', 2)),
  block('SE', 'local', 'Malmö', every('+464062804', 2)),
  block('SE', 'local', 'Stockholm', every('+468465004', 2)),
  block('SE', 'local', 'Kiruna', every('+469803192', 2)),
  block('SE', 'mobile', 'Mobil', ['+46701740605', '+46701740699']),
];

/** Everything that may be drawn from. */
export const BLOCKS: readonly Block[] = [
  ...united_kingdom,
  ...north_america,
  ...germany,
  ...france,
  ...australia,
  ...ireland,
  ...sweden,
];

/** The numbers of a block in order, international with `+`. */
export function* numbersOf(block: Block): Generator<string, undefined> {
  for (const [first, last = first] of block.spans) {
    for (let number = Number(first.slice(1)); number <= Number(last.slice(1)); number++) yield `+${number}`;
  }
  return undefined;
}
