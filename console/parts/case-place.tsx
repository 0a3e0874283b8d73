import { decimalDegrees, degreesAndMinutes, mgrs } from '../../src/core/text/coordinates.ts'
import type { Case, Item, Position } from '../api/types.ts'
import { remarkText } from '../logic/service-words.ts'
import { now } from '../state/clock.ts'
import { texts } from '../state/language.ts'
import { CopyMenu } from './copy-menu.tsx'
import { ago, moment } from './moment.tsx'
import { placesOf, sourceOf } from './places.tsx'

const aged = (text: string, at: string | undefined): string => (at === undefined ? text : `${text}, ${ago(at)}`)

/** The person's position with its age, and the batteries of the devices. */
export function Place({ found: { incident, remarks } }: { readonly found: Case }) {
  const t = texts.value
  const { battery } = incident
  const [first, ...others] = placesOf(incident)
  // The LoRaWAN gateway that heard a press without a fix, or that the position is an old one.
  const said = remarks.filter(({ field }) => field === 'latitude').map(({ message }) => remarkText(message, t, moment))
  const remarked = said.map((message) => <small key={message}>{message}</small>)
  if (first === undefined)
    return (
      <div>
        <dt>{t.position}</dt>
        <dd>
          {t.noPosition} {remarked}
        </dd>
      </div>
    )
  return (
    <div class={isOld(first) ? 'old' : ''}>
      <dt>{t.position}</dt>
      <dd>
        <OnePlace incident={incident} place={first} />
        <small>
          {[
            first.accuracy && t.accuracy(Math.round(first.accuracy)),
            first.altitude && t.altitude(Math.round(first.altitude)),
            battery?.phone != null && aged(t.battery(battery.phone), battery.phoneAt),
            battery?.device != null && aged(t.deviceBattery(battery.device), battery.deviceAt),
          ]
            .filter(Boolean)
            .join(' · ')}
        </small>
        {others.map((place) => (
          <div key={`${place.source}${place.at}`} class="other-place">
            <OnePlace incident={incident} place={place} />
          </div>
        ))}
        {remarked}
      </dd>
    </div>
  )
}

const isOld = ({ at }: Position): boolean => now.value - Date.parse(at) > 15 * 60_000

/** As on the tracking page: for a map on a screen, for a ship or a helicopter, and to read out by radio. */
function OnePlace({ incident, place }: { readonly incident: Item; readonly place: Position }) {
  const t = texts.value
  const source = sourceOf(incident, place)
  const written = [
    `${decimalDegrees(place.latitude)}, ${decimalDegrees(place.longitude)}`,
    degreesAndMinutes(place),
    mgrs(place),
  ].filter((text) => text !== null)
  return (
    <>
      <span class="age-line">
        {source !== null && `${source}, `}
        {ago(place.at)}
        {isOld(place) && ` · ${t.oldPosition}`}
        {incident.drill && ` · ${t.inventedPosition}`}
      </span>
      <div class="place-line">
        <span class="coordinates">
          {written.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </span>
        <CopyMenu forms={written} of={t.position} />
      </div>
    </>
  )
}
