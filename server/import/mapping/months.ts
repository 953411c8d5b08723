// The names of months in English, German, Spanish, French and Portuguese, and what they are short for.

/** By month; without accents, dots and case. */
const NAMES = [
  'jan january januar janner ene enero janv janvier janeiro',
  'feb february februar feber febrero fev fevr fevrier fevereiro',
  'mar march marz mrz marzo mars marco',
  'apr april abr abril avr avril',
  'may mai mayo maio',
  'jun june juni junio juin junho',
  'jul july juli julio juil juillet julho',
  'aug august ago agosto aout',
  'sep sept september septiembre setiembre set septembre setembro',
  'oct october okt oktober octubre octobre out outubro',
  'nov november noviembre novembre novembro',
  'dec december dez dezember dic diciembre decembre dezembro',
];
const MONTHS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, i) => names.split(' ').map((name) => [name, i + 1] as const)),
);

/** The month of a name, from 1; `undefined` where it is none. */
export const monthNamed = (name: string): number | undefined =>
  MONTHS.get(
    name
      .normalize('NFD')
      .replaceAll(/[\p{M}.]/gu, '')
      .toLowerCase(),
  );
