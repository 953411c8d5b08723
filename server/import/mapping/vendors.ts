// Which columns of a file may be what the operator pays a vendor, by their names and by those next to them,
// in English, German, Spanish, French and Portuguese. What a customer pays is never guessed from these.

import { quoted } from '../values.ts';

/** Who is paid, or what for; within any word, such as `Einkaufspreis`. */
const VENDOR =
  /vendor|supplier|carrier|wholesal|purchas|procur|upstream|interconn|einkauf|lieferant|zuliefer|vorleist|beschaff|grosshand|bezugspr|proveedor|mayorista|compra|aprovision|fournisseur|grossist|approvision|fornecedor|atacad|aquisic|adquisic|revient/;
/** What it costs; each is money by itself. */
const COST =
  /^(?:buy(?!ers?$).*|bought|.*costs?|cogs|payables?|payouts?|ekp?|ek(?:pr|net|brut|bet|mon).*|cost[eo]s?|couts?|achats?|gros|custos?)$|einkaufspr|kosten(?!stelle|los|frei|tra)/;
/** A cost centre and a purchase order are the customer's. */
const NO_COST =
  /cost cent(?:er|re)|centros? de (?:cost[eo]s?|custos?)|centres? de couts?|kostenstelle|purchase order/;
/** Who pays is said. */
const CUSTOMER =
  /customer|client|kunde|retail|(?<!re)sell|sales?\b|resale|verkauf|\bvk|\bventas?\b|\bventes?\b|\bvendas?\b|minorista|varejo|tenant|subscriber/;
const MONEY =
  /\b(?:fees?|charges?|prices?|rates?|rent|rentals?|amounts?|mrc|nrc|setup|activation|incoming|inbound|monthly|periodic|recurring)\b|preis|gebuhr|entgelt|betrag|precio|cuota|tarif|importe|prix|frais|montant|preco|taxa|valor|mensali|mensuali/;

/** The words of a name, which may be `snake_case` or `camelCase`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/(\p{Ll}|\d)(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$2 ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

interface Naming {
  readonly isVendors: boolean;
  readonly isCustomers: boolean;
  readonly isFee: boolean;
}

function namingOf(name: string, isCharge: boolean): Naming {
  const words = wordsOf(name);
  const isNoCost = NO_COST.test(words);
  const isCost = !isNoCost && (COST.test(words) || words.split(' ').some((word) => COST.test(word)));
  const isVendors = isCost || (!isNoCost && VENDOR.test(words));
  return {
    isVendors,
    isCustomers: !isVendors && CUSTOMER.test(words),
    isFee: isCharge || isCost || MONEY.test(words) || (isVendors && /fee|price|charge|rate\b/.test(words)),
  };
}

/**
 * The fees of a file that may be a vendor's, each with the name that says so: its own, or that of a column
 * next to it, or next to other fees next to it.
 */
export function vendorFees(
  names: readonly string[],
  isCharge: (name: string) => boolean,
): ReadonlyMap<string, string> {
  const namings = names.map((name) => namingOf(name, isCharge(name)));
  const nextTo = (from: number, step: 1 | -1): string | undefined => {
    for (let i = from + step; ; i += step) {
      const naming = namings[i];
      if (naming === undefined || naming.isCustomers) return undefined;
      if (naming.isVendors) return names[i];
      if (!naming.isFee) return undefined;
    }
  };
  return new Map(
    namings.flatMap(({ isFee, isVendors, isCustomers }, i) => {
      if (!isFee || isCustomers) return [];
      const said = isVendors ? names[i] : (nextTo(i, -1) ?? nextTo(i, 1));
      return said === undefined ? [] : [[String(names[i]), said] as const];
    }),
  );
}

/** Of a fee that may be a vendor's, by what a name says. */
export function vendorQuestion(name: string, says: string, column: string | undefined): string {
  const why = says === name ? 'its name says' : `${quoted(says)} next to it says`;
  const to = column === undefined ? '' : ` to ${column}`;
  return `${why} that it may be what you pay. Map it${to} only if it is what the customer pays.`;
}
