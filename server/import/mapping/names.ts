// What columns are called in the files of other systems, in English, German, Spanish, French and Portuguese:
// one table for the lists, and what accounts have in addition. Prices that a carrier pays itself are not in
// it, and must not be. Fields that an operator declared are called by their titles.

import type { ImportColumn } from '../columns.ts';

const NAMES: Readonly<Record<string, string>> = {
  account_id: `account, account no, account number, account code, customer, customer id, customer no, customer nr,
    customer number, customer code, client, client id, client no, client number, subscriber, tenant,
    Kunde, Kundennr, Kundennummer, Kunden-ID, Kundenkonto, Konto, Kontonummer, Mandant, Debitor, Debitorennummer, Debitor Nr,
    cliente, id cliente, n cliente, nº cliente, número cliente, código cliente, cliente id, cuenta, abonado,
    n client, numéro client, code client, id client, compte, abonné, conta, assinante, código conta`,
  id: 'number id, did id, item id, record id, uuid, guid, sid, key, Datensatz, Datensatznummer, clave, clé, chave',
  did: `number, phone, phone no, phone number, telephone, telephone number, tel, msisdn, e164, ddi, did number, virtual number, tn, cli,
    Rufnummer, Rufnr, Nummer, Telefon, Telefonnummer, Telefonnr, número, número telefónico, teléfono, número teléfono, numeración,
    numéro, numéro téléphone, téléphone, sda, numéro sda, número telefone, telefone, número virtual`,
  title: `name, service, product, product name, package, item, Titel, Dienst, Leistung, Produkt, Produktname, Bezeichnung, Artikel,
    título, servicio, producto, nombre, titre, produit, nom, libellé, serviço, produto, nome`,
  comment: `comments, note, notes, description, remark, remarks, label, Bemerkung, Bemerkungen, Kommentar, Notiz, Beschreibung, Hinweis,
    comentario, comentarios, nota, notas, observación, observaciones, descripción, commentaire, remarque, remarques, étiquette,
    comentário, observação, observações, descrição`,
  country: 'country name, Land, Ländername, país, pays, nome país, nombre país, nom pays',
  country_code: 'iso, iso code, Ländercode, Länderkennzeichen, Landeskennzeichen, código país, code pays',
  provider: `carrier, supplier, operator, network, Anbieter, Netzbetreiber, Betreiber, Lieferant, proveedor, operador, operadora,
    fournisseur, opérateur, fornecedor, provedor`,
  status: 'state, number status, Zustand, estado, statut, état, situación, situação',
  subscription_status: `subscription state, contract status, Vertragsstatus, Abostatus, estado suscripción, estado contrato,
    statut abonnement, status assinatura, status contrato`,
  frequency: `billing frequency, billing cycle, billing period, billing interval, period, interval, cycle, Intervall,
    Abrechnungsintervall, Abrechnungszeitraum, Zahlweise, Turnus, Zyklus, frecuencia, periodicidad, ciclo, fréquence, périodicité,
    frequência, periodicidade`,
  activation: `activation fee, activation charge, setup, setup fee, setup charge, connection fee, one time fee, nrc, Einrichtung,
    Einrichtungsgebühr, Einrichtungspreis, Anschlussgebühr, Aktivierungsgebühr, Einmalpreis, Einmalgebühr, cuota alta, activación,
    precio alta, frais activation, frais mise service, taxa ativação, taxa instalação`,
  monthly: `monthly fee, monthly charge, monthly price, monthly rent, price, fee, charge, rental, rent, mrc, recurring charge,
    Preis, Monatspreis, Monatsgebühr, Grundgebühr, Grundpreis, Gebühr, monatlich, Preis Monat, precio, precio mensual, cuota,
    cuota mensual, mensualidad, tarifa, prix, prix mensuel, abonnement, mensualité, tarif mensuel, preço, preço mensal,
    mensalidade, valor, valor mensal`,
  incoming: `incoming charge, incoming price, inbound, inbound charge, Minutenpreis eingehend, eingehend, entrante,
    precio entrante, entrant, prix entrant, entrada`,
  created_at: `created, created on, creation date, date, start, start date, since, begin, order date, Beginn, Startdatum, Anlagedatum,
    angelegt, angelegt am, erstellt, erstellt am, seit, Vertragsbeginn, Datum, fecha, fecha alta, creado, fecha creación, inicio,
    fecha inicio, desde, date création, créé, créé le, début, date début, depuis, data, data criação, criado, criado em, início, data início`,
  activated_at: `activated, activated on, activation date, active since, aktiviert, aktiviert am, Aktivierungsdatum, freigeschaltet,
    freigeschaltet am, activado, fecha activación, activé, activé le, date activation, ativado, ativado em, data ativação`,
  next_payment_at: `next payment, next payment date, next billing, next billing date, next invoice, due, due date, renewal, renewal date,
    nächste Zahlung, nächste Rechnung, nächste Abrechnung, fällig, fällig am, Fälligkeit, Fälligkeitsdatum, próximo pago,
    próxima factura, vencimiento, fecha vencimiento, prochain paiement, prochaine facture, échéance, prochaine échéance,
    próximo pagamento, próxima fatura, vencimento, data vencimento`,
  is_active_spam_check:
    'spam check, spam check active, Spamprüfung, Spam-Prüfung aktiv, control spam, contrôle spam, verificação spam',
  is_spammed:
    'spam, is spam, spam flag, flagged, Spamverdacht, als Spam gemeldet, marcado spam, signalé spam',
  spam_checked_at:
    'spam checked, spam checked on, last spam check, Spam geprüft am, letzte Spamprüfung, última comprobación spam',
  removed: 'deleted, gelöscht, entfernt, eliminado, borrado, supprimé, removido, excluído',
  category: 'Kategorie, categoría, catégorie, categoria',
  service_name: 'catalogue name, catalog name, Katalogname, nombre catálogo, nom catalogue, nome catálogo',
};

/** In a file of accounts some of these names mean another column. */
const ACCOUNT_NAMES: Readonly<Record<string, string>> = {
  account_id: 'id, uuid, guid, key, sid, clave, clé, chave',
  name: `customer name, account name, client name, company, company name, Kundenname, Firma, Firmenname, nombre, nombre cliente,
    razón social, empresa, nom, nom client, raison sociale, société, nome, nome cliente, razão social`,
  currency: 'currency code, Währung, moneda, divisa, devise, monnaie, moeda',
  parent_id: `parent, parent account, parent customer, reseller, reseller id, Wiederverkäufer, Hauptkunde, Oberkonto, cuenta padre,
    revendedor, distribuidor, compte parent, revendeur, conta pai`,
  disabled: `blocked, locked, suspended, inactive, gesperrt, deaktiviert, inaktiv, bloqueado, suspendido, desactivado, inactivo, bloqué,
    suspendu, désactivé, inactif, suspenso, desativado, inativo`,
};

/** Words that change nothing: articles, currencies, and whether tax is in a price. */
const FILLERS = new Set(
  `a an the of in per der die das des pro in de del la el los las le les du en do da dos das o os
  eur euro usd gbp chf brl net netto gross brutto`.split(/\s+/),
);

/** A name without case, accents, separators and fillers, so that `Kunden-Nr.` is `kundennr`. */
function plain(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  const words = letters.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !FILLERS.has(word));
  // Umlauts may be spelt out.
  return words.join('').replaceAll(/([aou])e/g, '$1');
}

const COLUMNS = Map.groupBy(
  [NAMES, ACCOUNT_NAMES].flatMap((table) =>
    Object.entries(table).flatMap(([column, names]) =>
      [column, ...names.split(',')].map((name) => ({ plain: plain(name), column })),
    ),
  ),
  (one) => one.plain,
);

type NamedColumn = Pick<ImportColumn, 'name' | 'titles'>;

/**
 * The one of these columns that a name of a file stands for, as far as its words tell: by the name of the
 * column, then by a title that the operator gave to a field, then by what other systems call it.
 */
export function columnNamed(name: string, columns: readonly NamedColumn[]): string | undefined {
  const words = plain(name);
  if (words === '') return undefined;
  const isMeant = (text: string) => plain(text) === words;
  const column =
    columns.find((one) => isMeant(one.name)) ?? columns.find(({ titles }) => titles?.some(isMeant));
  return (
    column?.name ??
    COLUMNS.get(words)?.find((alias) => columns.some((one) => one.name === alias.column))?.column
  );
}

/** How many names of a file stand for one of these columns. */
export const matches = (names: readonly string[], columns: readonly NamedColumn[]): number =>
  names.filter((name) => columnNamed(name, columns) !== undefined).length;
