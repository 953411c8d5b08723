// The types of settings about money: currencies, and how many months a payment covers.

import { BILLING_MONTHS } from '@linecard/client/contract/facets';
import { fold } from '@linecard/client/contract/fold';

export const NO_CURRENCY = 'none';

const MAX_BILLING_MONTHS = 120;
const POSITIVE = /^[1-9]\d{0,2}$/;

/** The alphabetic codes of ISO 4217, without those for metals, funds and tests. */
const CURRENCIES = new Set(
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP
  CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD
  JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN
  NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN
  SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW
  ZWG`.split(/\s+/),
);

/** A table such as `monthly=1,quarterly=3`: how many months a payment covers, by folded frequency. */
export const billingMonths = {
  value: 'table',
  default: BILLING_MONTHS,
  allowed: 'frequencies with their months, from 1 to 120, such as monthly=1,quarterly=3',
  read(text: string): ReadonlyMap<string, number> | undefined {
    const months = new Map<string, number>();
    for (const entry of text.split(',')) {
      const [name = '', n = '', ...rest] = entry.split('=').map((part) => part.trim());
      const frequency = fold(name);
      const isSound = frequency !== '' && rest.length === 0 && POSITIVE.test(n);
      const isOther = (months.get(frequency) ?? Number(n)) !== Number(n);
      if (!isSound || isOther || Number(n) > MAX_BILLING_MONTHS) return undefined;
      months.set(frequency, Number(n));
    }
    return months;
  },
};

export const currencyCode = {
  value: 'code',
  allowed: 'an ISO 4217 code in upper case, such as EUR, or none',
  read: (text: string) => (text === NO_CURRENCY || CURRENCIES.has(text) ? text : undefined),
};
