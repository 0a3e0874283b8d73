import type { Application } from '../../core/application.ts'

export type ApplicationRow = {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly legacy: 0 | 1
  readonly disabled: 0 | 1
  readonly settings: string
  readonly actuators: string
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
  createdAt: row.created_at,
})
