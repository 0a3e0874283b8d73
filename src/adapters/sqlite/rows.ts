import type { Application } from '../../core/application.ts'
import type { Contact } from '../../core/contact.ts'
import type { Position } from '../../core/payload.ts'
import type { User } from '../../core/profile.ts'

/** Rows as SQLite gives them, and what they mean. Column names are the fields' in snake case. */
export type ApplicationRow = {
  id: string
  name: string
  language: string
  legacy: number
  disabled: number
  settings: string
  actuators: string
  created_at: number
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

export type UserRow = {
  no: number
  id: string
  app_id: string
  external_user_id: string
  name: string | null
  email: string | null
  phone: string | null
  address: string | null
  disabled: number
  created_at: number
  updated_at: number
}

export const userOf = (row: UserRow): User => ({
  id: row.id,
  appId: row.app_id,
  externalUserId: row.external_user_id,
  name: row.name,
  email: row.email,
  phone: row.phone,
  address: row.address,
  disabled: row.disabled === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export type ContactRow = {
  id: string
  user_id: string
  name: string
  phone: string
  email: string | null
  language: string
  priority: number
  created_at: number
  updated_at: number
}

export const contactOf = (row: ContactRow): Contact => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  phone: row.phone,
  email: row.email,
  language: row.language,
  priority: row.priority,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export type PositionRow = { at: string; latitude: number; longitude: number; altitude: number | null }

export const positionOfRow = ({ at, latitude, longitude, altitude }: PositionRow): Position => ({
  latitude,
  longitude,
  altitude,
  at,
})
