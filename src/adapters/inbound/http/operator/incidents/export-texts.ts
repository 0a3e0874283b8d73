import type { BoardItem } from '../../../../../app/operator/board-item.ts'
import type { MajorPerson } from '../../../../../app/operator/major-incidents.ts'
import { displayName } from '../../../../../core/account/profile.ts'
import { headStanding } from '../../../../../core/incident/head-count.ts'
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

type Column<T = BoardItem> = readonly [name: string, of: (row: T) => string | number | boolean | null]

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

const MAJOR_COLUMNS: readonly Column<MajorPerson>[] = [
  ['incidentId', ({ item }) => item.incidentId],
  ['application', ({ item }) => item.applicationName],
  ['person', ({ item }) => item.person.name],
  ['phone', ({ item }) => item.person.phone],
  ['externalId', ({ item }) => item.person.externalId],
  ['pressedAt', ({ item }) => item.pressedAt],
  ['presses', ({ item }) => item.presses],
  ['status', ({ item }) => item.status],
  ['answeredBy', ({ item }) => item.answer?.by.kind ?? null],
  ['answeredByName', ({ item }) => item.answer?.by.name ?? null],
  ['answeredAt', ({ item }) => item.answer?.at ?? null],
  ['head', ({ item }) => headStanding(item)],
  ['countedByName', ({ item }) => item.major?.head?.name ?? null],
  ['countedAt', ({ item }) => item.major?.head?.at ?? null],
  ['assignedTo', ({ item }) => item.major?.assignedTo ?? null],
  ['takenByName', ({ item }) => item.takenBy?.name ?? null],
  ['takenAt', ({ item }) => item.takenBy?.at ?? null],
  ['latitude', ({ item }) => item.position?.latitude ?? null],
  ['longitude', ({ item }) => item.position?.longitude ?? null],
  ['positionAt', ({ item }) => item.position?.at ?? null],
  ['notes', ({ notes }) => notes],
  ['outcome', ({ item }) => item.closing?.outcome ?? null],
  ['outcomeNote', ({ item }) => item.closing?.note ?? null],
]

/** The head count of a major incident as a list. */
export const majorCsv = (people: readonly MajorPerson[]): string =>
  CSV_BEGINNING +
  [MAJOR_COLUMNS.map(([name]) => name), ...people.map((person) => MAJOR_COLUMNS.map(([, of]) => of(person)))]
    .map(csvLine)
    .join('')
