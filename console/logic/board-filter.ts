import type { Item } from '../api/types.ts'
import { type Section, sectionOf, sections } from './sections.ts'
import { type Owner, ofOwner, owners } from './shift.ts'

/** South, west, north, east in degrees. */
type Area = readonly [south: number, west: number, north: number, east: number]

/** The choice of alarms on a screen. It stands in the address, so that a district can have its own screen. */
export type BoardFilter = {
  readonly owner: Owner
  /** An id. */
  readonly app: string | null
  /** A group that the person is in. */
  readonly group: string | null
  readonly area: Area | null
  readonly state: Section | null
}

export const NO_FILTER: BoardFilter = { owner: 'all', app: null, group: null, area: null, state: null }

export const isFiltering = ({ owner, app, group, area, state }: BoardFilter): boolean =>
  owner !== 'all' || app !== null || group !== null || area !== null || state !== null

/** Anything unreadable filters nothing: a mistyped address must hide no alarm. */
export function filterOf(query: string): BoardFilter {
  const given = new URLSearchParams(query)
  const app = given.get('app')
  return {
    owner: owners.find((name) => name === given.get('owner')) ?? 'all',
    app: app !== null && /^[\w-]{1,64}$/.test(app) ? app : null,
    group: groupOf(given.get('group')),
    area: areaOf(given.get('area')),
    state: sections.find((name) => name === given.get('state')) ?? null,
  }
}

/** As a group may be called (person-schema.ts). */
const groupOf = (text: string | null): string | null => {
  const group = text?.trim() ?? ''
  return group !== '' && group.length <= MAX_GROUP && !/[\p{Cc}\p{Cs},;|]/u.test(group) ? group : null
}
const MAX_GROUP = 60

function areaOf(text: string | null): Area | null {
  const [south = Number.NaN, west = Number.NaN, north = Number.NaN, east = Number.NaN, ...more] = (text ?? '')
    .split(',')
    .map((part) => (/^-?\d{1,3}(\.\d{1,6})?$/.test(part) ? Number(part) : Number.NaN))
  const isArea = more.length === 0 && south < north && west < east && Math.abs(south) <= 90 && Math.abs(north) <= 90
  return isArea ? [south, west, north, east] : null
}

const DIGITS = 4

/** The part of the address behind `#/`, empty without a filter. */
export function queryOf({ owner, app, group, area, state }: BoardFilter): string {
  const parts = [
    owner !== 'all' && `owner=${owner}`,
    app !== null && `app=${app}`,
    group !== null && `group=${encodeURIComponent(group)}`,
    area !== null && `area=${area.map((degrees) => Number(degrees.toFixed(DIGITS))).join(',')}`,
    state !== null && `state=${state}`,
  ].filter(Boolean)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** An alarm without a position is in every area: nobody knows that it is not. */
const isWithin = ({ position }: Item, area: Area | null): boolean => {
  if (area === null || position === null) return true
  const [south, west, north, east] = area
  const { latitude, longitude } = position
  return latitude >= south && latitude <= north && longitude >= west && longitude <= east
}

/** `me`: the id of this operator; null: nobody. */
export const filtered = (items: readonly Item[], filter: BoardFilter, me: string | null): readonly Item[] =>
  isFiltering(filter)
    ? ofOwner(items, filter.owner, me).filter(
        (item) =>
          (filter.app === null || item.applicationId === filter.app) &&
          (filter.group === null || item.person.groups?.includes(filter.group) === true) &&
          isWithin(item, filter.area) &&
          (filter.state === null || sectionOf(item) === filter.state),
      )
    : items
