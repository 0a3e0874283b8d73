import type { TrackingPage } from '../../../../app/tracking.ts'
import { parseEventTime } from '../../../../core/ingest/event-time.ts'
import type { Position } from '../../../../core/ingest/position.ts'
import { durationText } from '../../../../core/text/closing-text.ts'
import { emergencyNumber } from '../../../../core/text/emergency-number.ts'
import { localTime } from '../../../../core/text/local-time.ts'
import { firstName, isolated, MAX_NAME_LENGTH, neutralName, shortened } from '../../../../core/text/person-name.ts'
import { HOUR, MINUTE } from '../../../../lib/durations.ts'
import { Html, html } from './html.ts'
import { moment, type ReaderContext } from './moment.ts'
import { style } from './style.ts'
import type { TrackingTexts } from './texts/texts.ts'

/** How often the page of an open incident reloads itself, without a script. */
const REFRESH_SECONDS = 30
/** An alarm delayed by more than this shows when it arrived, besides when it was pressed. */
const LATE_MS = MINUTE

type Look = 'alarm' | 'busy' | 'good' | 'over'
type Heading = { readonly look: Look; readonly title: Named; readonly lead: Html }

/** Text around names: plain for the window title, and HTML with each name isolated in its own direction. */
type Named = { readonly text: string; readonly html: Html }

/** Private-use characters, which our texts do not contain, mark the names while a sentence is built. */
const PLACES = ['\ue000', '\ue001'] as const
const IS_PLACE = /([\ue000\ue001])/

/** Builds `sentence` with `names`. A right-to-left name must not reorder the words, numbers and signs around it. */
function named(names: readonly string[], sentence: (...names: string[]) => string): Named {
  const parts = sentence(...PLACES.slice(0, names.length)).split(IS_PLACE)
  const nameAt = (part: string) => names[PLACES.indexOf(part as (typeof PLACES)[number])]
  return {
    text: parts.map((part) => isolated(nameAt(part) ?? '') || part).join(''),
    html: html`${parts.map((part) => {
      const name = nameAt(part)
      return name === undefined ? html`${part}` : html`<bdi>${name}</bdi>`
    })}`,
  }
}

const unnamed = (text: string): Named => ({ text, html: html`${text}` })

/** A whole document. `refreshSeconds` makes it reload itself with a GET. */
function documentOf(
  texts: TrackingTexts,
  { look, title, lead }: Heading,
  { body, refreshSeconds }: { readonly body: Html; readonly refreshSeconds?: number },
): string {
  const refresh = refreshSeconds === undefined ? null : html`<meta http-equiv="refresh" content="${refreshSeconds}">`
  return html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex,nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
${refresh}<title>${title.text}</title>
<style>${new Html(style)}</style>
</head>
<body>
<header class="${look}"><div><h1>${title.html}</h1><p>${lead}</p></div></header>
<main>
${body}</main>
</body>
</html>
`.text
}

/** The input of a page: what a contact may see, in which language, and when. */
type View = {
  readonly page: TrackingPage
  readonly texts: TrackingTexts
  readonly path: string
  readonly reading: ReaderContext
}

/** The page that a contact sees behind the link, at `now`. `path`: the address of the page itself. */
export function trackingDocument(found: TrackingPage, texts: TrackingTexts, path: string, now: number): string {
  const page = { ...found, who: shortened(neutralName(found.who) || texts.somebody, MAX_NAME_LENGTH) }
  const view = { page, texts, path, reading: { now, timeZone: page.timeZone, language: texts.language } }
  const open = page.closedAt === null
  const body = html`${page.canAcknowledge ? acknowledgement(view) : null}
${isToBeActedOn(page) ? calls(view) : null}
${position(page.lastPosition, texts, view.reading)}
${facts(view)}
<p class="quiet">${texts.asOf(localTime(now, view.reading))} ${open ? texts.renews(REFRESH_SECONDS) : null}
<a href="${path}">${texts.reload}</a></p>
`
  return documentOf(texts, heading(view), { body, ...(open && { refreshSeconds: REFRESH_SECONDS }) })
}

/** The state of the incident in plain words, for this contact. */
function heading(view: View): Heading {
  const { page, texts } = view
  const { who, status, contact, canAcknowledge, isAskedAgain, confirmations } = page
  switch (status) {
    case 'cancelled':
    case 'resolved':
      return ending(view)
    case 'active':
    case 'acknowledged': {
      const confirmed = contact.acknowledgedAt !== null
      const needsHelp = named([who], texts.needsHelp)
      if (confirmed && !canAcknowledge) {
        return { look: 'good', title: unnamed(texts.thanks), lead: named([who], texts.youConfirmed).html }
      }
      if (isAskedAgain && canAcknowledge) {
        return { look: 'alarm', title: needsHelp, lead: named([who], texts.areYouStill).html }
      }
      if (confirmed) return { look: 'alarm', title: needsHelp, lead: html`${texts.alarmAgain}` }
      if (status === 'active') return { look: 'alarm', title: needsHelp, lead: html`${texts.nobodyYet}` }
      if (page.isAwaited) {
        const lead = named([namesOf(page, texts) || texts.somebody], texts.alarmAgainAfter).html
        return { look: 'alarm', title: needsHelp, lead }
      }
      const others = confirmations.length
      if (others === 0) return { look: 'busy', title: needsHelp, lead: html`${texts.somebodyElse}` }
      const lead = named([namesOf(page, texts)], (names) => texts.confirmedBy(names, others)).html
      return { look: 'busy', title: needsHelp, lead }
    }
    default:
      return status satisfies never
  }
}

/** How the incident ended, and how reliable that is (rules.md#closing). */
function ending({ page, texts, reading }: View): Heading {
  const { who, closing, confirmations, contact } = page
  const endedBy = closing?.by ?? null
  const over = named([who], page.status === 'cancelled' ? texts.cancelled : texts.resolved)
  const by = (name: string, otherwise: string): Html => {
    const harmless = shortened(neutralName(name), MAX_NAME_LENGTH)
    const sentence = harmless === '' ? unnamed(texts.endedBy(otherwise)) : named([harmless], texts.endedBy)
    return html`${sentence.html} ${texts.nothingToDo}`
  }
  switch (endedBy) {
    case 'user':
      return {
        look: 'busy',
        title: named([who], texts.endedByUser),
        lead: named([who], texts.nobodyElseConfirmed).html,
      }
    case 'operator':
      return { look: 'over', title: named([who], texts.resolved), lead: by(closing?.name ?? '', texts.theOperator) }
    case 'contact':
      return { look: 'over', title: named([who], texts.resolved), lead: by(closing?.name ?? '', texts.aContact) }
    case 'system': {
      const hours = closing?.hours ?? (reading.now - page.occurredAt) / HOUR
      const answered = confirmations.length > 0 || contact.acknowledgedAt !== null
      const lead = answered
        ? named([namesOf(page, texts), who], texts.answeredNotConfirmed)
        : named([who], texts.nobodyConfirmedSafe)
      return { look: 'busy', title: unnamed(texts.closedAutomatically(durationText(hours))), lead: lead.html }
    }
    case null:
      return { look: 'over', title: over, lead: html`${texts.nothingToDo}` }
    default:
      return endedBy satisfies never
  }
}

/** The names of everyone who has answered, including this contact. */
function namesOf({ confirmations, contact }: TrackingPage, texts: TrackingTexts): string {
  const own = contact.acknowledgedAt === null ? [] : [{ name: firstName(contact.name), at: contact.acknowledgedAt }]
  const names = [...confirmations, ...own].toSorted((a, b) => a.at - b.at).map(({ name }) => name || texts.somebody)
  return new Intl.ListFormat(texts.language, { type: 'conjunction' }).format(names)
}

/** True while the incident is open, and after it has ended without confirmation that the person is safe. */
const isToBeActedOn = ({ closedAt, closing }: TrackingPage): boolean =>
  closedAt === null || closing?.by === 'user' || closing?.by === 'system'

function acknowledgement({ page, texts, path }: View): Html {
  const { isAskedAgain, who } = page
  return html`<form method="post" action="${path}/ack"><button type="submit">${isAskedAgain ? texts.buttonStill : texts.button}</button></form>
<p class="quiet">${isAskedAgain ? texts.whatHappensStill : named([who], texts.whatHappens).html}</p>
`
}

/** Buttons to call the person and the emergency services. */
function calls({ page, texts }: View): Html {
  const { who, phone, timeZone } = page
  const number = emergencyNumber(timeZone)
  const person =
    phone === null
      ? null
      : html`<a href="tel:${phone}" class="button"><span>${named([who], texts.call).html}</span></a>\n`
  return html`<p class="calls">
${person}<a href="tel:${number}" class="button emergency"><span>${texts.callEmergency(number)}</span></a>
</p>
<p class="quiet">${texts.emergencyHint(number)}</p>`
}

/** Five decimals are about a metre. Adding 0 turns a rounded -0 into 0. */
const degrees = (value: number): string => (Number(value.toFixed(5)) + 0).toFixed(5)

/**
 * Google's address comes first: it opens on every phone, with or without an app. iPhones do not know `geo:`;
 * OpenStreetMap shows footpaths.
 */
function position(last: Position | null, texts: TrackingTexts, reading: ReaderContext): Html {
  if (last === null) return html`<section><h2>${texts.position}</h2><p>${texts.noPosition}</p></section>`
  const [latitude, longitude] = [degrees(last.latitude), degrees(last.longitude)]
  const at = parseEventTime(last.at)
  const google = `https://maps.google.com/?q=${latitude},${longitude}`
  const osm = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`
  return html`<section>
<h2>${texts.position}</h2>
<p class="place">${latitude}, ${longitude}</p>
${at === null ? null : html`<p>${moment(reading, at.ms)}</p>`}
${last.altitude === null ? null : html`<p>${texts.altitude(String(Math.round(last.altitude)))}</p>`}
<ul class="maps">
<li><a href="${google}" class="button" rel="noreferrer noopener" target="_blank">${texts.openMap}</a></li>
<li><a href="geo:${latitude},${longitude}?q=${latitude},${longitude}">${texts.mapApp}</a></li>
<li><a href="${osm}" rel="noreferrer noopener" target="_blank">OpenStreetMap</a></li>
</ul>
</section>`
}

function facts({ page, texts, reading }: View): Html {
  const { again, confirmations, contact } = page
  const late = Math.abs(page.openedAt - page.occurredAt) > LATE_MS
  const isNamed = confirmations.length > 0 || contact.acknowledgedAt !== null
  const rows: readonly (readonly [Html, number | null])[] = [
    [html`${texts.pressedAt}`, page.occurredAt],
    [html`${texts.receivedAt}`, late ? page.openedAt : null],
    [html`${texts.pressedAgainAt}`, again?.pressedAt ?? null],
    [html`${texts.firstConfirmedAt}`, isNamed ? null : page.acknowledgedAt],
    ...confirmations.map(({ name, at }) => [named([name || texts.somebody], texts.confirmedAt).html, at] as const),
    [html`${texts.youConfirmedAt}`, contact.acknowledgedAt],
    [html`${texts.closedAt}`, page.closedAt],
  ]
  return html`<dl>
${rows.flatMap(([label, at]) => (at === null ? [] : html`<dt>${label}</dt><dd>${moment(reading, at)}</dd>\n`))}</dl>`
}

/** A page with a notice only, without names or places. `back`: the address to continue to. */
export function noticeDocument(
  notice: 'unknown' | 'expired' | 'failed' | 'back',
  texts: TrackingTexts,
  back: string | null = null,
): string {
  const link = back === null ? html`` : html`<p><a class="button" href="${back}">${texts.toPage}</a></p>\n`
  const title = unnamed(texts[`${notice}Title`])
  return documentOf(texts, { look: 'over', title, lead: html`${texts[`${notice}Text`]}` }, { body: link })
}
