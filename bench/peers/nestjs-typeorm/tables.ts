// The tables of the NestJS peer, as TypeORM maps them.

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** PostgreSQL sends bigint and numeric as text. */
const asNumber = { to: (value: number) => value, from: Number };

@Entity('api_tokens')
export class ApiToken {
  @PrimaryColumn({ type: 'text' }) hash: string;
  @Column({ type: 'text' }) account_id: string;
  @Column({ type: 'timestamptz', nullable: true }) expires_at: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) revoked_at: Date | null;
}

@Entity('virtual_numbers')
export class VirtualNumber {
  @PrimaryColumn({ type: 'bigint', transformer: asNumber }) id: number;
  @Column({ type: 'text', select: false }) account_id: string;
  @Column({ type: 'text' }) did: string;
  @Column({ type: 'text' }) comment: string;
  @Column({ type: 'text' }) country: string;
  @Column({ type: 'text' }) country_code: string;
  @Column({ type: 'text' }) provider: string;
  @Column({ type: 'text' }) status: string;
  @Column({ type: 'text' }) subscription_status: string;
  @Column({ type: 'text' }) frequency: string;
  @Column({ type: 'numeric', transformer: asNumber }) activation: number;
  @Column({ type: 'numeric', transformer: asNumber }) monthly: number;
  @Column({ type: 'numeric', transformer: asNumber }) incoming: number;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) activated_at: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) next_payment_at: Date | null;
  @Column({ type: 'boolean' }) is_active_spam_check: boolean;
  @Column({ type: 'boolean' }) is_spammed: boolean;
  @Column({ type: 'timestamptz', nullable: true }) spam_checked_at: Date | null;
}
