// What people call the fields, by language: in the console, and in the headings of a workbook for people.

import type { lists } from './contract.ts';

/** By their tags (BCP 47). */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt-BR'] as const;

export type Language = (typeof LANGUAGES)[number];

type FieldName = { [N in keyof typeof lists]: keyof (typeof lists)[N]['fields'] }[keyof typeof lists];
/** In the order of the languages. No native reader has read any but the English ones. */
type Words = readonly [en: string, de: string, es: string, fr: string, ptBR: string];

const LABELS: Readonly<Record<FieldName, Words>> = {
  id: ['ID', 'ID', 'ID', 'ID', 'ID'],
  did: ['Number', 'Rufnummer', 'Número', 'Numéro', 'Número'],
  title: ['Title', 'Bezeichnung', 'Nombre', 'Intitulé', 'Nome'],
  comment: ['Comment', 'Kommentar', 'Comentario', 'Commentaire', 'Comentário'],
  country: ['Country name', 'Ländername', 'Nombre del país', 'Nom du pays', 'Nome do país'],
  country_code: ['Country', 'Land', 'País', 'Pays', 'País'],
  provider: [
    'Number provider',
    'Rufnummernanbieter',
    'Proveedor del número',
    'Fournisseur du numéro',
    'Operadora',
  ],
  status: ['Status', 'Status', 'Estado', 'Statut', 'Status'],
  subscription_status: ['Subscription', 'Abonnement', 'Suscripción', 'Abonnement', 'Assinatura'],
  frequency: ['Billing', 'Abrechnung', 'Facturación', 'Facturation', 'Faturamento'],
  activation: ['One-time charge', 'Einmalgebühr', 'Cargo único', 'Frais uniques', 'Cobrança única'],
  monthly: ['Monthly charge', 'Monatsgebühr', 'Cargo mensual', 'Frais mensuels', 'Cobrança mensal'],
  incoming: ['Incoming rate', 'Preis eingehend', 'Tarifa entrante', 'Tarif entrant', 'Tarifa de entrada'],
  created_at: ['Added', 'Hinzugefügt', 'Añadido', 'Ajout', 'Adicionado'],
  activated_at: ['Activated', 'Aktiviert', 'Activado', 'Activation', 'Ativado'],
  next_payment_at: [
    'Next payment',
    'Nächste Zahlung',
    'Próximo pago',
    'Prochain paiement',
    'Próximo pagamento',
  ],
  is_active_spam_check: [
    'Spam check',
    'Spam-Prüfung',
    'Control de spam',
    'Contrôle anti-spam',
    'Verificação de spam',
  ],
  is_spammed: ['Spam flag', 'Spam-Markierung', 'Marca de spam', 'Signalement spam', 'Marcação de spam'],
  spam_checked_at: [
    'Last spam check',
    'Letzte Spam-Prüfung',
    'Último control de spam',
    'Dernier contrôle anti-spam',
    'Última verificação de spam',
  ],
};

/** By the name of the field. */
export function fieldLabels(language: Language): Readonly<Record<string, string>> {
  const at = LANGUAGES.indexOf(language);
  return Object.fromEntries(Object.entries(LABELS).map(([name, words]) => [name, words[at] ?? name]));
}

/** Falls back to the name. */
export function fieldLabel(language: Language, name: string): string {
  return (LABELS as Readonly<Record<string, Words>>)[name]?.[LANGUAGES.indexOf(language)] ?? name;
}

/** In front of the sums of a list. */
export const TOTAL: Readonly<Record<Language, string>> = {
  en: 'Total',
  de: 'Summe',
  es: 'Total',
  fr: 'Total',
  'pt-BR': 'Total',
};
