import { Layers } from 'lucide'
import { useEffect } from 'preact/hooks'
import { headCount } from '../../src/core/incident/head-count.ts'
import type { Offer, OpenMajor } from '../logic/major.ts'
import { texts } from '../state/language.ts'
import { majors, notOne, offers, openMajor } from '../state/majors.ts'
import { tiny } from '../state/narrow.ts'
import { mayAct } from '../state/session.ts'
import { administration } from './administration-on-demand.ts'
import { Icon } from './icon.tsx'
import { hour } from './moment.tsx'

/** More lines would push the alarms down. */
const MAX_LINES = 3

/** Its view is there before anybody opens it, should the network be gone by then. */
function useLoaded(): void {
  const isOpen = majors.value.length > 0
  useEffect(() => {
    if (isOpen) administration().catch(() => {})
  }, [isOpen])
}

/** Major incidents and offers of one, a line each. */
export function MajorBar() {
  useLoaded()
  const lines = [
    ...majors.value.map((major) => <MajorLine key={major.id} major={major} />),
    ...offers.value.map((offer) => <OfferLine key={offer.id} offer={offer} />),
  ]
  if (lines.length === 0) return null
  const more = lines.length - MAX_LINES
  return (
    <section class="majors" aria-label={texts.value.desk.major.title}>
      {lines.slice(0, MAX_LINES)}
      {more > 0 && <p class="quiet">{texts.value.desk.major.more(more)}</p>}
    </section>
  )
}

/**
 * The same on a phone, beside the first head of a section, where they take no height from the alarms: an offer opens on
 * its own page.
 */
export function MajorPills() {
  useLoaded()
  const pills = [
    ...majors.value.map(({ id, items }) => ({ id, text: texts.value.desk.major.title, count: items.length })),
    ...offers.value.map(({ id, items }) => ({ id, text: texts.value.desk.major.ask, count: items.length })),
  ]
  if (pills.length === 0) return null
  return (
    <div class="major-pills">
      {pills.map(({ id, text, count }) => (
        <a key={id} class="major-pill" href={`#/major/${id}`} title={text}>
          <Icon of={Layers} /> <span class={tiny.value ? 'unseen' : undefined}>{text}</span>{' '}
          <span class="count">{count}</span>
        </a>
      ))}
    </div>
  )
}

const MajorLine = ({ major }: { readonly major: OpenMajor }) => (
  <a class="major-line" href={`#/major/${major.id}`}>
    <Icon of={Layers} />
    <span>{majorText(major)}</span>
    {major.near.length > 0 && <strong class="tag news">{texts.value.desk.major.near(major.near.length)}</strong>}
  </a>
)

/** `Major incident since 14:32: 14 open, 3 safe, 1 handed over`. */
export function majorText({ startedAt, items }: Pick<OpenMajor, 'startedAt' | 'items'>): string {
  const t = texts.value.desk.major
  const { safe, handedOver } = headCount(items)
  const counts = [t.open(items.length), safe > 0 && t.safe(safe), handedOver > 0 && t.handedOver(handedOver)]
  return texts.value.labelled(t.since(hour(startedAt)), counts.filter(Boolean).join(', '))
}

function OfferLine({ offer }: { readonly offer: Offer }) {
  const t = texts.value.desk.major
  // The group shows the result.
  const begin = (): void => {
    location.hash = `#/major/${offer.id}`
    openMajor(offer).catch(() => {})
  }
  return (
    <div class="major-line is-offer">
      <Icon of={Layers} />
      <span>{t.offer(offer.items.length, hour(offer.startedAt))}</span>
      {mayAct.value && (
        <>
          <button type="button" class="small" onClick={begin}>
            {t.asOne}
          </button>
          <button type="button" class="small" onClick={() => notOne(offer)}>
            {t.notOne}
          </button>
        </>
      )}
    </div>
  )
}
