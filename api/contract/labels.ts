// What people call the fields, by language: in the console, and in the headings of a workbook for people.

import type { lists } from './contract.ts';

type FieldName = { [N in keyof typeof lists]: keyof (typeof lists)[N]['fields'] }[keyof typeof lists];
type Labels = Readonly<Record<FieldName, string>>;

const en: Labels = {
  id: 'ID',
  did: 'Number',
  title: 'Title',
  comment: 'Comment',
  country: 'Country name',
  country_code: 'Country',
  provider: 'Number provider',
  status: 'Status',
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

/** No native reader has read this and the following ones. */
const de: Labels = {
  id: 'ID',
  did: 'Rufnummer',
  title: 'Bezeichnung',
  comment: 'Kommentar',
  country: 'Ländername',
  country_code: 'Land',
  provider: 'Rufnummernanbieter',
  status: 'Status',
  subscription_status: 'Abonnement',
  frequency: 'Abrechnung',
  activation: 'Einmalgebühr',
  monthly: 'Monatsgebühr',
  incoming: 'Preis eingehend',
  created_at: 'Hinzugefügt',
  activated_at: 'Aktiviert',
  next_payment_at: 'Nächste Zahlung',
  is_active_spam_check: 'Spam-Prüfung',
  is_spammed: 'Spam-Markierung',
  spam_checked_at: 'Letzte Spam-Prüfung',
};

const es: Labels = {
  id: 'ID',
  did: 'Número',
  title: 'Nombre',
  comment: 'Comentario',
  country: 'Nombre del país',
  country_code: 'País',
  provider: 'Proveedor del número',
  status: 'Estado',
  subscription_status: 'Suscripción',
  frequency: 'Facturación',
  activation: 'Cargo único',
  monthly: 'Cargo mensual',
  incoming: 'Tarifa entrante',
  created_at: 'Añadido',
  activated_at: 'Activado',
  next_payment_at: 'Próximo pago',
  is_active_spam_check: 'Control de spam',
  is_spammed: 'Marca de spam',
  spam_checked_at: 'Último control de spam',
};

const fr: Labels = {
  id: 'ID',
  did: 'Numéro',
  title: 'Intitulé',
  comment: 'Commentaire',
  country: 'Nom du pays',
  country_code: 'Pays',
  provider: 'Fournisseur du numéro',
  status: 'Statut',
  subscription_status: 'Abonnement',
  frequency: 'Facturation',
  activation: 'Frais uniques',
  monthly: 'Frais mensuels',
  incoming: 'Tarif entrant',
  created_at: 'Ajout',
  activated_at: 'Activation',
  next_payment_at: 'Prochain paiement',
  is_active_spam_check: 'Contrôle anti-spam',
  is_spammed: 'Signalement spam',
  spam_checked_at: 'Dernier contrôle anti-spam',
};

const ptBR: Labels = {
  id: 'ID',
  did: 'Número',
  title: 'Nome',
  comment: 'Comentário',
  country: 'Nome do país',
  country_code: 'País',
  provider: 'Operadora',
  status: 'Status',
  subscription_status: 'Assinatura',
  frequency: 'Faturamento',
  activation: 'Cobrança única',
  monthly: 'Cobrança mensal',
  incoming: 'Tarifa de entrada',
  created_at: 'Adicionado',
  activated_at: 'Ativado',
  next_payment_at: 'Próximo pagamento',
  is_active_spam_check: 'Verificação de spam',
  is_spammed: 'Marcação de spam',
  spam_checked_at: 'Última verificação de spam',
};

/** By the tag of the language (BCP 47). */
export const FIELD_LABELS = { en, de, es, fr, 'pt-BR': ptBR } as const;

export type Language = keyof typeof FIELD_LABELS;

export const LANGUAGES = Object.keys(FIELD_LABELS) as readonly Language[];

/** The name of a field that has no label. */
export function fieldLabel(language: Language, name: string): string {
  const labels: Readonly<Record<string, string>> = FIELD_LABELS[language];
  return labels[name] ?? name;
}

/** In front of the sums of a list. */
export const TOTAL: Readonly<Record<Language, string>> = {
  en: 'Total',
  de: 'Summe',
  es: 'Total',
  fr: 'Total',
  'pt-BR': 'Total',
};
