import { parseEventTime } from '../../../../core/ingest/event-time.ts'
import type { Position } from '../../../../core/ingest/position.ts'
import { decimalDegrees, degreesAndMinutes, mgrs } from '../../../../core/text/coordinates.ts'
import { emergencyNumber, emergencyNumberOf } from '../../../../core/text/emergency-number.ts'
import { neutralName, shortened } from '../../../../core/text/person-name.ts'
import { filled, fixedWords } from '../../../../core/text/phrases.ts'
import { mapAt } from '../../../../core/text/position-text.ts'
import { raisedWords, sourceText } from '../../../../core/text/source-words.ts'
import { MINUTE } from '../../../../lib/durations.ts'
import type { MapSources } from '../map/site-map.ts'
import { type Html, html } from './html.ts'
import { ageOf, moment } from './moment.ts'
import { named } from './named.ts'
import type { View } from './view.ts'

/** A position older than this is marked as old. */
const OLD_MS = 15 * MINUTE
/** Networks as phones name them: `LTE`, `NB-IoT`. */
const MAX_NETWORK_LENGTH = 20
/** Ids of trackers are as long as their makers like. */
const MAX_DEVICE_LENGTH = 40
/** More countries than this meet nowhere. */
const MAX_COUNTRIES = 4

const decimal = ({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string =>
  `${decimalDegrees(latitude)}, ${decimalDegrees(longitude)}`

/** The age of the position, for the header: readers should know the age before they see the place. */
export function positionAge({ page, texts, reading }: View): Html | null {
  if (page.isDrill) return html`<p class="when">${texts.inventedPosition}</p>`
  const at = page.lastPosition === null ? null : parseEventTime(page.lastPosition.at)
  if (page.lastPosition === null || at === null) return null
  const source = sourceOf(page.lastPosition, page, texts)
  return html`<p class="when">${texts.positionAge} ${ageOf(reading, at.ms)}${source === null ? null : html` (${source})`}</p>`
}

/** The source of a place: shown if there are several, or if another user sent it. rules.md#positions. */
function sourceOf(place: Position, { otherPlaces }: View['page'], { language }: View['texts']): string | null {
  return otherPlaces.length > 0 || place.source === 'other' ? sourceText(language, place) : null
}

/** Only another user of the service has raised it. rules.md#relays. */
export function raisedThrough({ page, texts }: View): Html | null {
  if (page.raisedThrough === null) return null
  const { phrase, device: sender } = raisedWords(texts.language, page.raisedThrough)
  const device = neutralName(sender)
  const said = named([shortened(device, MAX_DEVICE_LENGTH)], (name) => filled(phrase, { device: name }))
  return html`<p><strong>${said.html}</strong></p>`
}

/** A call or a text may give away a person who hides. rules.md#silent-emergency. */
export function doNotCall({ page, texts }: View): Html {
  const said = named([page.who], (who) => filled(fixedWords[texts.language].silent.doNotCall, { who }))
  return html`<p class="drill"><strong>${said.html}</strong></p>`
}

/** A person who carries one of them may be in danger, not the one named above. devices.md#unknown-devices. */
export const unknownDevices = ({ page, texts }: View): readonly Html[] =>
  page.unknownDevices
    .filter((id) => neutralName(id) !== '')
    .map(
      (id) =>
        html`<p>${named([neutralName(id)], (device) => filled(fixedWords[texts.language].unknownDevice, { device })).html}</p>`,
    )

/** Buttons to call the person and the emergency services of the place. */
export function calls({ page, texts, reading }: View): Html {
  const { who, phone, timeZone, lastPosition } = page
  const person =
    phone === null
      ? null
      : html`<a href="tel:${phone}" class="button"><span>${named([who], texts.call).html}</span></a>\n`
  // An exercise must not end at an emergency call centre.
  if (page.isDrill) return html`<p class="calls">\n${person}</p>\n`
  const countries = page.countries.slice(0, MAX_COUNTRIES)
  const nameOf = new Intl.DisplayNames(texts.language, { type: 'region' })
  const countryName = (code: string): string => nameOf.of(code) ?? code
  const numberOf = (code: string): string => page.emergencyNumbers[code] ?? emergencyNumberOf(code)
  const codes = countries.length > 0 ? countries.map(numberOf) : [emergencyNumber(timeZone)]
  const numbers = [...new Set(codes)]
  const buttons = numbers.map((number) => {
    const country = countries[codes.indexOf(number)]
    const isOneOfMany = numbers.length > 1 && country !== undefined
    const text = isOneOfMany ? texts.emergencyIn(countryName(country), number) : texts.callEmergency(number)
    return html`<a href="tel:${number}" class="button emergency"><span>${text}</span></a>\n`
  })
  const list = new Intl.ListFormat(reading.language, { type: 'disjunction' }).format(countries.map(countryName))
  const say =
    lastPosition === null || countries.length === 0
      ? null
      : html`<p class="quiet">${named([who], (name) => texts.tellThem(name, list, decimal(lastPosition))).html}</p>\n`
  return html`<p class="calls">
${person}${buttons}</p>
<p class="quiet">${texts.emergencyHint(numbers.join(' / '))}</p>
${say}`
}

/**
 * Google's address comes first: it opens on every phone, with or without an app. iPhones do not know `geo:`;
 * OpenStreetMap shows footpaths.
 */
export function position({ page, texts, reading, map }: View): Html | null {
  const { lastPosition: last, closedAt, closing } = page
  if (last === null) {
    if (closedAt !== null && closing?.by !== 'system') return null
    const said = page.isPlaceWithheld ? named([page.who], texts.placeWithheld).html : html`${texts.noPosition}`
    return html`<section><h2>${texts.position}</h2><p>${said}</p></section>`
  }
  const [latitude, longitude] = [decimalDegrees(last.latitude), decimalDegrees(last.longitude)]
  const at = parseEventTime(last.at)
  const source = sourceOf(last, page, texts)
  const isOld = !page.isDrill && at !== null && reading.now - at.ms > OLD_MS
  const opens = mapAt([latitude, longitude], page.mapLink)
  const directions = `https://www.google.com/maps/dir/?api=1&destination=${latitude},${longitude}`
  const osm = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`
  const link = (href: string, text: string): Html =>
    html`<li><a href="${href}" rel="noreferrer noopener" target="_blank">${text}</a></li>\n`
  return html`<section${isOld ? html` class="old"` : null}>
<h2>${texts.position}</h2>
${at === null ? null : html`<p class="age">${moment(reading, at.ms)}</p>`}${source === null ? null : html`<p>${source}</p>`}
${page.isDrill ? html`<p>${texts.inventedPosition}</p>\n` : isOld ? html`<p>${texts.oldPosition}</p>\n` : null}${map === null ? null : mapOf(map, { texts, last, isOld })}<p class="place with-copy">${withCopy(decimal(last), texts)}</p>
<ul class="maps">
<li><a href="${opens}" class="button" rel="noreferrer noopener" target="_blank">${texts.openMap}</a></li>
${link(directions, texts.directions)}<li><a href="geo:${latitude},${longitude}?q=${latitude},${longitude}">${texts.mapApp}</a></li>
${link(osm, 'OpenStreetMap')}</ul>
${readOut(last, texts)}
${last.accuracy === undefined ? null : html`<p>${texts.accuracy(metresOf(last.accuracy))}</p>\n`}${last.altitude === null ? null : html`<p>${texts.altitude(String(Math.round(last.altitude)))}</p>`}${page.otherPlaces.map((place) => otherPlace(place, { texts, reading }))}
</section>`
}

/** A place that may be right as well. */
function otherPlace(place: Position, { texts, reading }: Pick<View, 'texts' | 'reading'>): Html {
  const [latitude, longitude] = [decimalDegrees(place.latitude), decimalDegrees(place.longitude)]
  const at = parseEventTime(place.at)
  const source = sourceText(texts.language, place)
  const age = at === null ? null : moment(reading, at.ms)
  return html`<h3>${source ?? texts.position}</h3>
${age === null ? null : html`<p class="age">${age}</p>\n`}<p class="place with-copy">${withCopy(decimal(place), texts)}</p>
<p><a href="https://maps.google.com/?q=${latitude},${longitude}" rel="noreferrer noopener" target="_blank">${texts.openMap}</a></p>\n`
}

/** At least a metre: no receiver knows better. */
const metresOf = (accuracy: number): string => String(Math.max(1, Math.round(accuracy)))

/** The place of the map, which the script draws. Without script the links to maps are there. */
function mapOf(
  sources: MapSources,
  { texts, last, isOld }: { readonly texts: View['texts']; readonly last: Position; readonly isOld: boolean },
): Html {
  const { latitude, longitude, accuracy, at } = last
  const shown = JSON.stringify({ latitude, longitude, accuracy, at, isOld })
  const said = JSON.stringify({ zoomIn: texts.zoomIn, zoomOut: texts.zoomOut })
  return html`<div id="map" class="js" role="region" aria-label="${texts.map}" data-sources="${JSON.stringify(sources)}" data-texts="${said}" data-position="${shown}" hidden></div>\n`
}

/** Batteries and networks: for how long, and by which network, the person can still be reached. */
export function reachability({ page, texts, reading }: View): Html | null {
  const { phone, tracker } = page.battery
  if (page.closedAt !== null) return null
  const networks = [
    [page.network.phone, texts.phoneNetwork],
    [page.network.tracker, texts.trackerNetwork],
  ] as const
  const lines = networks.map(([name, sentence]) => {
    const shown = name === null ? '' : shortened(neutralName(name), MAX_NETWORK_LENGTH)
    return shown === '' ? html`` : html`<p>${named([shown], sentence).html}</p>\n`
  })
  return html`${phone === null ? null : html`<p>${texts.phoneBattery(phone.percent)}, ${moment(reading, phone.at)}</p>\n`}${tracker === null ? null : html`<p>${texts.trackerBattery(tracker.range)}, ${moment(reading, tracker.at)}</p>\n`}${lines}`
}

/** The place in the notations that rescue services ask for. */
function readOut(place: { readonly latitude: number; readonly longitude: number }, texts: View['texts']): Html {
  const notations = [degreesAndMinutes(place), mgrs(place)].filter((text) => text !== null)
  return html`<h3>${texts.readOut}</h3>
<ul class="read">
${notations.map((text) => html`<li class="with-copy">${withCopy(text, texts)}</li>\n`)}</ul>`
}

/** A text too long for one line breaks after the comma only. */
const withCopy = (text: string, texts: View['texts']): Html =>
  html`<span>${text.replace(/(?<!,) /g, '\u00a0')}</span> <button type="button" class="js copy" data-copy="${text}" data-done="${texts.copied}" hidden>${texts.copy}</button>`
