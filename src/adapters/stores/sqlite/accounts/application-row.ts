import type { Application, Relays } from '../../../../core/account/application.ts'

export type ApplicationRow = {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly legacy: 0 | 1
  readonly disabled: 0 | 1
  readonly settings: string
  readonly actuators: string
  readonly texts: string
  readonly allowed_prefixes: string
  readonly time_zone: string | null
  readonly cors_origins: string
  readonly fallback_contact: string | null
  readonly silent_after_minutes: number
  readonly verify_contacts: 0 | 1
  readonly silent_by_default: 0 | 1
  readonly relays: Relays
  readonly map_link: string | null
  readonly created_at: number
}

export const applicationOf = (row: ApplicationRow): Application => ({
  id: row.id,
  name: row.name,
  language: row.language,
  legacy: row.legacy === 1,
  disabled: row.disabled === 1,
  settings: JSON.parse(row.settings),
  actuators: JSON.parse(row.actuators),
  texts: JSON.parse(row.texts),
  allowedPrefixes: JSON.parse(row.allowed_prefixes),
  timeZone: row.time_zone,
  corsOrigins: JSON.parse(row.cors_origins),
  fallbackContact: row.fallback_contact === null ? null : JSON.parse(row.fallback_contact),
  silentAfterMinutes: row.silent_after_minutes,
  verifyContacts: row.verify_contacts === 1,
  silentByDefault: row.silent_by_default === 1,
  relays: row.relays,
  mapLink: row.map_link,
  createdAt: row.created_at,
})
