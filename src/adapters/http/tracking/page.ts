import type { TrackingPage } from '../../../app/tracking.ts'
import { MINUTE, parseEventTime } from '../../../core/event-time.ts'
import type { Position } from '../../../core/payload.ts'
import { LONGEST_NAME, neutralName, shortened } from '../../../core/text/person-name.ts'
import { Html, html } from './html.ts'
import { moment, timeText } from './moment.ts'
import { style } from './style.ts'
import type { TrackingTexts } from './texts/texts.ts'

/** How often the page of an open incident fetches itself again, without any script. */
const REFRESH_SECONDS = 30
/** An alarm that took longer than this says when it arrived, besides when it was pressed. */
const LATE_MS = MINUTE

type Look = 'alarm' | 'busy' | 'good' | 'over'

/** A whole document. `refreshSeconds` makes it fetch itself again, with a GET. */
function documentOf(page: {
  readonly texts: TrackingTexts
  readonly look: Look
  readonly title: string
  readonly lead: string
  readonly body: Html
  readonly refreshSeconds?: number
}): string {
  const { texts, look, title, lead, body, refreshSeconds } = page
  const refresh = refreshSeconds === undefined ? null : html`<meta http-equiv="refresh" content="${refreshSeconds}">`
  return html`<!doctype html>
<html lang="${texts.locale.split('-', 1)[0]!}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex,nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
${refresh}<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<header class="${look}"><h1>${title}</h1><p>${lead}</p></header>
<main>
${body}</main>
</body>
</html>
`.text
}

/** What a contact sees behind the link, at `now`. `path` is the address of the page itself. */
export function trackingDocument(found: TrackingPage, texts: TrackingTexts, path: string, now: number): string {
  const page = { ...found, who: shortened(neutralName(found.who) || texts.somebody, LONGEST_NAME) }
  const open = page.closedAt === null
  const body = html`${page.canAcknowledge ? acknowledgement(page, texts, path) : null}
${position(page.lastPosition, texts, now)}
${facts(page, texts, now)}
${open ? html`<p class="quiet">${texts.cannotHelp}</p>` : null}
<p class="quiet">${texts.asOf(timeText(texts.locale, now, now))} ${open ? texts.renews(REFRESH_SECONDS) : null}
<a href="${path}">${texts.reload}</a></p>
`
  return documentOf({ texts, body, ...heading(page, texts), ...(open && { refreshSeconds: REFRESH_SECONDS }) })
}

/** The state of the incident in plain words, to this contact. */
function heading(page: TrackingPage, texts: TrackingTexts): { look: Look; title: string; lead: string } {
  const { who, status, contact, canAcknowledge } = page
  switch (status) {
    case 'cancelled':
      return { look: 'over', title: texts.cancelled(who), lead: texts.nothingToDo }
    case 'resolved':
      return { look: 'over', title: texts.resolved(who), lead: texts.nothingToDo }
    case 'active':
    case 'acknowledged': {
      const confirmed = contact.acknowledgedAt !== null
      if (confirmed && !canAcknowledge) return { look: 'good', title: texts.thanks, lead: texts.youConfirmed(who) }
      if (confirmed) return { look: 'alarm', title: texts.needsHelp(who), lead: texts.alarmAgain }
      if (status === 'active') return { look: 'alarm', title: texts.needsHelp(who), lead: texts.nobodyYet }
      return { look: 'busy', title: texts.needsHelp(who), lead: texts.somebodyElse }
    }
    default:
      return status satisfies never
  }
}

const acknowledgement = ({ who }: TrackingPage, texts: TrackingTexts, path: string): Html =>
  html`<form method="post" action="${path}/ack"><button type="submit">${texts.button}</button></form>
<p class="quiet">${texts.whatHappens(who)}</p>
`

/** Five decimals are a metre. Adding 0 turns a rounded -0 into 0. */
const degrees = (value: number): string => (Number(value.toFixed(5)) + 0).toFixed(5)

/** Three maps: `geo:` knows no iPhone, Google's address opens the app of either kind of phone, OpenStreetMap shows footpaths. */
function position(last: Position | null, texts: TrackingTexts, now: number): Html {
  if (last === null) return html`<section><h2>${texts.position}</h2><p>${texts.noPosition}</p></section>`
  const [latitude, longitude] = [degrees(last.latitude), degrees(last.longitude)]
  const at = parseEventTime(last.at)
  const google = `https://maps.google.com/?q=${latitude},${longitude}`
  const osm = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`
  return html`<section>
<h2>${texts.position}</h2>
<p class="place">${latitude}, ${longitude}</p>
${at === null ? null : html`<p>${moment(texts.locale, at.ms, now)}</p>`}
${last.altitude === null ? null : html`<p>${texts.altitude(String(Math.round(last.altitude)))}</p>`}
<ul class="maps">
<li><a href="geo:${latitude},${longitude}?q=${latitude},${longitude}">${texts.mapApp}</a></li>
<li><a href="${google}" rel="noreferrer noopener" target="_blank">Google Maps</a></li>
<li><a href="${osm}" rel="noreferrer noopener" target="_blank">OpenStreetMap</a></li>
</ul>
</section>`
}

function facts(page: TrackingPage, texts: TrackingTexts, now: number): Html {
  const late = Math.abs(page.openedAt - page.occurredAt) > LATE_MS
  const rows: readonly (readonly [string, number | null])[] = [
    [texts.pressedAt, page.occurredAt],
    [texts.receivedAt, late ? page.openedAt : null],
    [texts.firstConfirmedAt, page.acknowledgedAt],
    [texts.youConfirmedAt, page.contact.acknowledgedAt],
    [texts.closedAt, page.closedAt],
  ]
  return html`<dl>
${rows.flatMap(([label, at]) => (at === null ? [] : html`<dt>${label}</dt><dd>${moment(texts.locale, at, now)}</dd>\n`))}</dl>`
}

/** A page that only says something, without names or places. `back`: an address to go on to. */
export function noticeDocument(
  notice: 'unknown' | 'expired' | 'failed' | 'back',
  texts: TrackingTexts,
  back: string | null = null,
): string {
  const link = back === null ? html`` : html`<p><a class="button" href="${back}">${texts.toPage}</a></p>\n`
  return documentOf({ texts, look: 'over', title: texts[`${notice}Title`], lead: texts[`${notice}Text`], body: link })
}
