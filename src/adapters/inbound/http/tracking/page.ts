import { createHash } from 'node:crypto'
import type { TrackingPage } from '../../../../app/answers/tracking-page.ts'
import { durationText } from '../../../../core/message/closing-text.ts'
import { localTime } from '../../../../core/text/local-time.ts'
import { firstName, MAX_NAME_LENGTH, neutralName, shortened } from '../../../../core/text/person-name.ts'
import { fixedWords, withoutDrillWord } from '../../../../core/text/phrases.ts'
import { HOUR, MINUTE } from '../../../../lib/durations.ts'
import type { MapSources } from '../map/site-map.ts'
import { answers } from './answers.ts'
import { forThisContact } from './card.ts'
import { type Content, contentOf, documentOf, type Heading, REFRESH_SECONDS } from './document.ts'
import { type Html, html } from './html.ts'
import { moment, type ReaderContext } from './moment.ts'
import { named, unnamed } from './named.ts'
import { calls, doNotCall, position, positionAge, raisedThrough, reachability, unknownDevices } from './place.ts'
import { talk } from './talk.ts'
import type { TrackingTexts } from './texts/texts.ts'
import { arrivalOf, type View } from './view.ts'
import { takenBack, wrongNumber } from './wrong-number.ts'

/** An alarm delayed by more than this shows when it arrived, besides when it was pressed. */
const LATE_MS = MINUTE

/**
 * The parts of the page that a contact sees behind the link, at `now`. `path`: the address of the page itself; `map`:
 * where its map is, if it has one.
 */
export function trackingContent(
  found: TrackingPage,
  texts: TrackingTexts,
  path: string,
  now: number,
  map: MapSources | null = null,
): Content {
  const page = { ...found, who: shownName(found, texts) }
  const view = { page, texts, path, map, reading: { now, timeZone: page.timeZone, language: texts.language } }
  if (page.stopped === 'stranger') {
    const title = unnamed(texts.thanks)
    return contentOf({ look: 'over', title, lead: html`${texts.nothingMore}` }, takenBack(view))
  }
  const renewed = page.closedAt === null ? renewal(texts) : null
  const main = html`${answers(view)}${isToBeActedOn(page) ? calls(view) : null}
${talk(view)}${position(view)}
${forThisContact(view)}${reachability(view)}${facts(view)}
${wrongNumber(view)}<p class="quiet"><span id="as-of">${asOf(texts, view.reading)}</span> ${renewed}
<a href="${path}">${texts.reload}</a></p>
`
  const shown = contentOf(heading(view), main, html`${raisedThrough(view)}${unknownDevices(view)}${positionAge(view)}`)
  const warning = page.isSilent && isToBeActedOn(page) ? doNotCall(view).text : ''
  const told = { ...shown, header: warning + shown.header }
  return page.isDrill ? asDrill(told, texts) : told
}

export const shownName = ({ who }: TrackingPage, texts: TrackingTexts): string =>
  shortened(withoutDrillWord(neutralName(who)) || texts.somebody, MAX_NAME_LENGTH)

/** The title and a banner above everything say that it is an exercise, whatever its state. preparing.md#drills. */
function asDrill({ title, header, ...rest }: Content, texts: TrackingTexts): Content {
  const { prefix } = fixedWords[texts.language].drill
  const banner = html`<p class="drill"><strong>${prefix}</strong> ${texts.noEmergency}</p>`
  return { ...rest, title: `${prefix} ${title}`, header: banner.text + header }
}

export const asOf = (texts: TrackingTexts, reading: ReaderContext): string =>
  texts.asOf(localTime(reading.now, reading))

const renewal = (texts: TrackingTexts): Html =>
  html`<noscript>${texts.renews(REFRESH_SECONDS)}</noscript><span class="js" hidden>${texts.live}</span>`

/** The page that a contact sees behind the link, at `now`. */
export function trackingDocument(
  page: TrackingPage,
  texts: TrackingTexts,
  path: string,
  now: number,
  map: MapSources | null = null,
): string {
  const who = shownName(page, texts)
  const live = page.closedAt === null ? { version: pageVersion(page), now, texts, who, path } : null
  return documentOf(texts, trackingContent(page, texts, path, now, map), live)
}

/** Changes with everything that the page shows but the time. */
export const pageVersion = (page: TrackingPage): string =>
  createHash('sha256').update(JSON.stringify(page)).digest('base64url').slice(0, 16)

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
      if (confirmed && !canAcknowledge) return { look: 'good', title: unnamed(texts.thanks), lead: ownAnswer(view) }
      if (isAskedAgain && canAcknowledge) {
        return { look: 'alarm', title: needsHelp, lead: named([who], texts.areYouStill).html }
      }
      if (confirmed) return { look: 'alarm', title: needsHelp, lead: html`${texts.alarmAgain}` }
      const isUnable = page.answer?.kind === 'unable'
      if (isUnable && (page.isAwaited || !page.isHelped)) {
        return { look: 'busy', title: needsHelp, lead: html`${texts.youCannot} ${texts.othersAlerted}` }
      }
      if (status === 'active') return { look: 'alarm', title: needsHelp, lead: html`${texts.nobodyYet}` }
      if (!page.isAwaited && !page.isHelped) {
        return { look: 'alarm', title: needsHelp, lead: html`${texts.nobodyHelps}` }
      }
      if (page.isAwaited) {
        const lead = named([namesOf(page, texts) || texts.somebody], texts.alarmAgainAfter).html
        return { look: 'alarm', title: needsHelp, lead }
      }
      const others = confirmations.length
      if (others === 0) return { look: 'busy', title: needsHelp, lead: html`${texts.somebodyElse}` }
      const [helper] = confirmations
      const isPromise = others === 1 && (helper?.kind === 'coming' || helper?.kind === 'calling')
      const lead = isPromise
        ? html`${said(helper, texts, view.reading)}.`
        : named([namesOf(page, texts)], (names) => texts.confirmedBy(names, others)).html
      return { look: 'busy', title: needsHelp, lead }
    }
    default:
      return status satisfies never
  }
}

/** The answer of this contact, who helps. */
function ownAnswer({ page, texts, reading }: View): Html {
  const { answer, who } = page
  switch (answer?.kind) {
    case 'coming':
      return html`${texts.youAreComing(arrivalOf(reading, answer))}`
    case 'calling':
      return named([who], texts.youAreCalling).html
    case 'helping':
    case 'unable':
    case undefined:
      return named([who], texts.youConfirmed).html
    default:
      return answer satisfies never
  }
}

/** The end of the incident, and how reliable that is (rules.md#closing). */
function ending({ page, texts, reading }: View): Heading {
  const { who, closing, confirmations, contact } = page
  if (page.isDrill) return { look: 'over', title: unnamed(texts.drillOver), lead: html`${texts.othersAreReal}` }
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
        lead: named([who], page.isSilent ? texts.nobodyElseSilent : texts.nobodyElseConfirmed).html,
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
        : named([who], page.isSilent ? texts.nobodyConfirmedSilent : texts.nobodyConfirmedSafe)
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
const isToBeActedOn = ({ closedAt, closing, isDrill }: TrackingPage): boolean =>
  closedAt === null || (!isDrill && (closing?.by === 'user' || closing?.by === 'system'))

function facts({ page, texts, reading }: View): Html {
  const { again, answer, confirmations, unable, contact, overdue } = page
  const note = neutralName((again === null ? overdue : again.overdue)?.note ?? '')
  const late = overdue === null && Math.abs(page.openedAt - page.occurredAt) > LATE_MS
  const isNamed = confirmations.length > 0 || contact.acknowledgedAt !== null
  const rows: readonly (readonly [Html, number | null])[] = [
    [html`${overdue === null ? texts.pressedAt : texts.dueAt}`, page.occurredAt],
    [html`${texts.receivedAt}`, late ? page.openedAt : null],
    [html`${again?.overdue ? texts.dueAt : texts.pressedAgainAt}`, again?.pressedAt ?? null],
    [html`${texts.firstConfirmedAt}`, isNamed ? null : page.acknowledgedAt],
    ...confirmations.map((answer) => [said(answer, texts, reading), answer.at] as const),
    ...unable.map(({ name, at }) => [named([name || texts.somebody], texts.isUnable).html, at] as const),
    [html`${texts.youConfirmedAt}`, contact.acknowledgedAt],
    [html`${texts.youCannot}`, answer?.kind === 'unable' ? answer.at : null],
    [html`${texts.closedAt}`, page.closedAt],
  ]
  return html`<dl>
${note === '' ? null : html`<dt>${texts.note}</dt><dd>${note}</dd>\n`}${rows.flatMap(([label, at]) => (at === null ? [] : html`<dt>${label}</dt><dd>${moment(reading, at)}</dd>\n`))}</dl>`
}

/** The answer of another helper. */
function said(answer: TrackingPage['confirmations'][number], texts: TrackingTexts, reading: ReaderContext): Html {
  const names = [answer.name || texts.somebody]
  switch (answer.kind) {
    case 'coming':
      return named(names, (name) => texts.isComing(name, arrivalOf(reading, answer))).html
    case 'calling':
      return named(names, texts.isCalling).html
    case 'helping':
    case 'unable':
      return named(names, texts.confirmedAt).html
    default:
      return answer satisfies never
  }
}

/** A page with a notice only, without names or places. `back`: the address to continue to. */
export function noticeDocument(
  notice: 'unknown' | 'expired' | 'failed' | 'back',
  texts: TrackingTexts,
  back: string | null = null,
): string {
  const link = back === null ? html`` : html`<p><a class="button" href="${back}">${texts.toPage}</a></p>\n`
  const title = unnamed(texts[`${notice}Title`])
  return documentOf(texts, contentOf({ look: 'over', title, lead: html`${texts[`${notice}Text`]}` }, link))
}
