// What the sample accounts call their numbers: notes, campaigns and end customers in many languages and spellings. Every
// name was invented; one that turns out to belong to somebody has to go.

import type { Frequency } from './lives.ts';

type Phrases = readonly [string, ...string[]];

/** Numbers that were bought together, each with its note; the notes are divided by `|`. */
type Noted = readonly [
  country_code: string,
  from: string,
  days_ago: number,
  frequency: Frequency,
  notes: string,
];

export const DENTIST_NOTES: readonly Noted[] = [
  ['GB', 'Bristol', 1_460, 'monthly', 'Front desk|Front desk, overflow|Surgery 1|Surgery 2|Surgery 3|Fax|'],
  ['GB', 'Bristol', 1_102, 'monthly', 'Emergencies, out of hours|Recall letters|Billing "second reminder"||'],
  ['GB', 'freephone', 1_099, 'yearly', 'Nervous patients’ line'],
  [
    'GB',
    'Cardiff',
    731,
    'monthly',
    'Front desk, Cardiff|Surgery 1, Cardiff|Hygienist (Tue & Thu)|Lift alarm||',
  ],
  ['GB', 'mobile', 568, 'monthly', 'On call, dentist|On call, nurse|Text reminders'],
  [
    'DE',
    'Hamburg',
    391,
    'monthly',
    'Empfang|Empfang (Überlauf)|Behandlung 1|Behandlung 2|Prophylaxe – Rückruf',
  ],
  ['DE', 'Hamburg', 391, 'monthly', 'Röntgen|Abrechnung: Mahnung, 2. Stufe|Bewerbungen|Notdienst Mi/Sa|||'],
  [
    'GB',
    'national',
    210,
    'quarterly',
    'Campaign "20% off whitening"|Campaign "Straight by summer"|Jaw clinic',
  ],
  ['DE', 'München', 92, 'quarterly', 'Praxis München, ab Frühjahr|Größere Räume? Rückfrage|'],
  ['GB', 'London', 40, 'one_time', 'Kept for later|'],
  ['GB', 'Bristol', 9, 'monthly', 'Children’s clinic|Children’s clinic, fax|'],
  ['DE', 'Hamburg', 3, 'monthly', 'Zahntechnik-Labor'],
];

/** Callers work in the language of the country, in Canada in two, on Puerto Rico in Spanish. */
const ENGLISH = [
  'Winter renewals',
  'Parcel desk',
  'Night line',
  'Survey "How did we do?"',
  'Save 15% (win-back)',
  'Bookings, tier 2',
  'Complaints, 2nd line',
  '½-price week',
  'Gift cards',
] as const;
const FRENCH = [
  'Relance d’été',
  'Réclamations, niveau 2',
  'Enquête « 100 % satisfait ? »',
  'Œuvres et dons',
  'Dépannage, nuit',
  'Fidélité : 10 % offerts',
] as const;
const GERMAN = [
  'Kundenrückruf',
  'Störungsannahme',
  'Umfrage „Wie waren wir?“',
  '20 % Treuerabatt',
  'Bestellannahme, Spätschicht',
  'Größenberatung',
] as const;
const SPANISH = [
  'Atención al cliente',
  'Encuesta: ¿qué tal?',
  'Ofertas del año, 50 %',
  'Línea nocturna',
] as const;
const SWEDISH = ['Kundtjänst, kväll', 'Återbäring 10 %', 'Frågor om räkningen', 'Växel'] as const;

/** How many orders for which country, and what the numbers are called there. */
export const CALL_CENTRE: Readonly<Record<string, { readonly orders: number; readonly campaigns: Phrases }>> =
  {
    GB: { orders: 42, campaigns: ENGLISH },
    US: { orders: 32, campaigns: ENGLISH },
    DE: { orders: 22, campaigns: GERMAN },
    FR: { orders: 18, campaigns: FRENCH },
    CA: { orders: 16, campaigns: [...ENGLISH, ...FRENCH] },
    AU: { orders: 13, campaigns: ENGLISH },
    IE: { orders: 8, campaigns: ENGLISH },
    SE: { orders: 4, campaigns: SWEDISH },
    PR: { orders: 2, campaigns: SPANISH },
    GU: { orders: 2, campaigns: ENGLISH },
    VI: { orders: 1, campaigns: ENGLISH },
  };
export const FLOORS = [
  'Leeds floor',
  'Etage Köln',
  'Plateau Lille',
  'Göteborg, plan 3',
  'Night shift',
  'Training room',
] as const;

/** Whom the reseller resells to, and what their numbers are for, divided by `|`. */
type EndCustomer = readonly [name: string, country_code: string, numbers: number, lines: string];

export const END_CUSTOMERS: readonly EndCustomer[] = [
  ['100% Marmalade Ltd', 'GB', 38, 'orders|returns|wholesale, press 2'],
  ['Bäckerei Mondsemmel', 'DE', 28, 'Filiale Nord|Vorbestellung|Büro'],
  ['Garage Tournevis-Bleu', 'FR', 25, 'atelier|pièces|dépannage 24 h/24'],
  ['"The Crooked Teaspoonful"', 'GB', 12, 'bookings|kitchen'],
  ['Left_Foot_Only Dance', 'US', 24, 'classes|kids_and_teens|shoes'],
  ['Kanzlei Dr. Ungefähr', 'DE', 22, 'Sekretariat|Fristen|Vertretung 50 %'],
  ['Lough Nowhere Ferries', 'IE', 21, 'sailings|freight|lost property'],
  ['Перекотиполе Logistics', 'CA', 20, 'диспетчер|склад №2'],
  ['Wombat & Daughters Removals', 'AU', 30, 'quotes|pianos|claims'],
  ['Åskmolnets Elcyklar', 'SE', 18, 'verkstad|butik|kundtjänst'],
  ['*Seventh Pillow* Motel', 'US', 16, 'front desk|reservations'],
  ['Ανεμοδείκτης Travel', 'GB', 14, 'κρατήσεις|ακυρώσεις'],
  ['Café Doña Nube', 'PR', 12, 'reservaciones|facturación'],
  ['Crêperie L’Étoile Beurrée', 'FR', 11, 'réservations|à emporter'],
  ['喫茶ねこの電話', 'US', 10, '予約|ﾃｲｸｱｳﾄ'],
  ["O'Wooley & Ewe", 'IE', 9, 'shop|mill'],
  ['Kwiaciarnia Szeptoliść', 'GB', 8, 'zamówienia|wieńce, śluby'],
  ['مقهى القمر ذي الجورب', 'AU', 7, 'الحجوزات'],
];
