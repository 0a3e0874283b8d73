import type { BoardItem } from '../../../../../app/operator/board-item.ts'
import { displayName } from '../../../../../core/account/profile.ts'
import { wayOf } from '../../../../../core/incident/places.ts'
import { isoAt, parseEventTime } from '../../../../../core/ingest/event-time.ts'
import type { Position } from '../../../../../core/ingest/position.ts'
import { csvLine } from '../../../../../lib/csv.ts'

/** Byte order mark: spreadsheets take a file without it for something other than UTF-8. */
const CSV_BEGINNING = '\uFEFF'

const TRAIL_COLUMNS = ['at', 'latitude', 'longitude', 'altitude', 'source'] as const

/** The positions of an incident, oldest first. Times as they were sent. */
export const trailCsv = (trail: readonly Position[]): string =>
  CSV_BEGINNING +
  [TRAIL_COLUMNS, ...trail.map((position) => TRAIL_COLUMNS.map((column) => position[column] ?? null))]
    .map(csvLine)
    .join('')

/** XML allows no control characters, not even escaped. */
const NOT_IN_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const xml = (text: string): string => text.replace(NOT_IN_XML, '').replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** The trail of an incident as GPX 1.1, for maps and navigation devices. */
export function trailGpx({ incidentId, person, openedAt, drill }: BoardItem, trail: readonly Position[]): string {
  const points = wayOf(trail).map(({ latitude, longitude, altitude, at }) => {
    const ms = parseEventTime(at)?.ms
    const elevation = altitude === null ? '' : `<ele>${altitude}</ele>`
    const time = ms === undefined ? '' : `<time>${isoAt(ms)}</time>`
    return `      <trkpt lat="${latitude}" lon="${longitude}">${elevation}${time}</trkpt>\n`
  })
  // On a navigation device nothing else says that the position is invented.
  const kind = drill ? 'EXERCISE' : 'SOS'
  const name = xml(`${kind} ${displayName({ ...person, externalUserId: person.externalId })} ${openedAt}`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Tocsin" xmlns="http://www.topografix.com/GPX/1/1">
  <metadata><name>${name}</name><desc>${xml(incidentId)}</desc><time>${openedAt}</time></metadata>
  <trk>
    <name>${name}</name>
    <trkseg>
${points.join('')}    </trkseg>
  </trk>
</gpx>
`
}

type Column = readonly [name: string, of: (item: BoardItem) => string | number | boolean | null]

const COLUMNS: readonly Column[] = [
  ['incidentId', ({ incidentId }) => incidentId],
  ['application', ({ applicationName }) => applicationName],
  ['person', ({ person }) => person.name],
  ['phone', ({ person }) => person.phone],
  ['externalId', ({ person }) => person.externalId],
  ['status', ({ status }) => status],
  ['openedAt', ({ openedAt }) => openedAt],
  ['occurredAt', ({ occurredAt }) => occurredAt],
  ['closedAt', ({ closedAt }) => closedAt],
  ['closedBy', ({ closing }) => closing?.by ?? null],
  ['closedByName', ({ closing }) => closing?.name ?? null],
  ['presses', ({ presses }) => presses],
  ['delivered', ({ delivered }) => delivered],
  ['answeredBy', ({ answer }) => answer?.by.kind ?? null],
  ['answeredByName', ({ answer }) => answer?.by.name ?? null],
  ['answeredAt', ({ answer }) => answer?.at ?? null],
  ['latitude', ({ position }) => position?.latitude ?? null],
  ['longitude', ({ position }) => position?.longitude ?? null],
  ['positionAt', ({ position }) => position?.at ?? null],
  ['reason', ({ reason }) => reason ?? null],
  ['dueAt', ({ overdue }) => overdue?.dueAt ?? null],
  ['note', ({ overdue }) => overdue?.note ?? null],
  ['outcome', ({ closing }) => closing?.outcome ?? null],
  ['outcomeNote', ({ closing }) => closing?.note ?? null],
]

/** The first line of a table of incidents. */
export const incidentsCsvHead = CSV_BEGINNING + csvLine(COLUMNS.map(([name]) => name))
export const incidentCsvLine = (item: BoardItem): string => csvLine(COLUMNS.map(([, of]) => of(item)))
