import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { decimalDegrees } from '../../src/core/text/coordinates.ts'
import { ApiError, isLost, poll, read, send } from '../api/client.ts'
import type { Case, Item } from '../api/types.ts'
import { isDrill } from '../logic/order.ts'
import { Back } from '../parts/back.tsx'
import type { Children } from '../parts/blocks.tsx'
import { CallPerson } from '../parts/call-person.tsx'
import { Actions } from '../parts/case-actions.tsx'
import { Contacts } from '../parts/case-contacts.tsx'
import { Exports, MajorLink } from '../parts/case-links.tsx'
import { Ended, Next } from '../parts/case-next.tsx'
import { Notes } from '../parts/case-notes.tsx'
import { Place } from '../parts/case-place.tsx'
import { Profile } from '../parts/case-profile.tsx'
import { Timeline } from '../parts/case-timeline.tsx'
import { Empty, Problem } from '../parts/controls.tsx'
import { DrillReportView } from '../parts/drill-report.tsx'
import { MapPane } from '../parts/map-pane.tsx'
import { ago, elapsed, moment } from '../parts/moment.tsx'
import { PersonCard } from '../parts/person-card.tsx'
import { placesOf, raisedText, sourceOf } from '../parts/places.tsx'
import { Talk } from '../parts/talk.tsx'
import { problemOf } from '../parts/task.ts'
import { answerText, Badge, lookOf, personOf, Tags, timerText, wasWithText } from '../parts/urgency.tsx'
import { boardReads, changed, learn, open } from '../state/board.ts'
import { forgetCase, keepCase, keptCase } from '../state/cases.ts'
import { serverTime } from '../state/clock.ts'
import { texts } from '../state/language.ts'
import { narrow } from '../state/narrow.ts'
import { mayAct } from '../state/session.ts'

const BEAT_MS = 20_000
/** The alarm has just been opened: somebody is there. */
const OPENING_MS = 5_000
/** That somebody is there later on, too. */
const SIGNS = ['visibilitychange', 'pointermove', 'pointerdown', 'keydown', 'wheel', 'click'] as const

/** One incident with all its data, kept up to date, and the actions of the operator. */
export function Incident({ id }: { readonly id: string }) {
  const t = texts.value
  const [shown, show] = useState<Case | null>(() => keptCase(id)?.found ?? null)
  /** Start of the lost connection (epoch ms): the state since then is unknown. */
  const [oldSince, grow] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [turn, again] = useState(0)
  const openedAt = useRef(performance.now())
  const reads = boardReads.value
  // Each change as it comes: of several that come together, a render would see only the last.
  useEffect(() => changed.subscribe((item) => item?.incidentId === id && again((n) => n + 1)), [id])
  useEffect(() => {
    let gone = false
    const ask = shown === null ? read<Case> : poll<Case>
    ask(`/incidents/${id}`).then(
      (found) => {
        if (gone) return
        keepCase(found)
        show(found)
        grow(null)
        setProblem(null)
      },
      (error) => {
        if (gone) return
        if (error instanceof ApiError && error.status === 404) {
          forgetCase(id)
          show(null)
        }
        const kept = isLost(error) ? keptCase(id) : null
        grow(kept?.at ?? null)
        setProblem(kept === null ? problemOf(error) : null)
      },
    )
    return () => {
      gone = true
    }
  }, [id, turn, reads])
  // Telemetry causes no event: the position and the trail are requested while the page is visible.
  const isOver = shown !== null && shown.incident.closedAt !== null
  useEffect(() => {
    if (isOver) return
    const beat = setInterval(() => document.visibilityState === 'visible' && again((n) => n + 1), BEAT_MS)
    return () => clearInterval(beat)
  }, [id, isOver])
  const took = (found: Case): void => {
    keepCase(found)
    show(found)
    learn(found.incident)
    // The answer may have been slower than news of others.
    again((n) => n + 1)
  }
  // Once somebody has opened an incident, it is no longer new on any screen: not in a tab that nobody looks at. What
  // happens while it is open rings until somebody moves or types here: a page may be left open.
  const isUnseen = shown !== null && (shown.incident.news !== undefined || shown.incident.new) && mayAct.value
  const newsAt = isUnseen ? (shown.incident.news?.at ?? shown.incident.openedAt) : null
  useEffect(() => {
    if (newsAt === null) return
    const end = (): void => {
      for (const sign of SIGNS) removeEventListener(sign, look, { capture: true })
    }
    const look = (event?: Event): void => {
      // Browsers tell of a pointer that rests where the page has moved under it.
      const isResting =
        event?.type === 'pointermove' && !(event as PointerEvent).movementX && !(event as PointerEvent).movementY
      if (isResting || document.visibilityState === 'hidden') return
      end()
      void send<Case>(`/incidents/${id}/seen`).then(took, () => {})
    }
    for (const sign of SIGNS) addEventListener(sign, look, { capture: true })
    if (performance.now() - openedAt.current < OPENING_MS) look()
    return end
  }, [id, newsAt])
  const item = open.value.find(({ incidentId }) => incidentId === id)
  if (shown === null) {
    return (
      <main>
        <Back to="#/">{t.board.back}</Back>
        <Problem text={problem} />
        {problem === null && <Empty>{t.loading}</Empty>}
        {item !== undefined && <FromBoard item={item} />}
      </main>
    )
  }
  return <Shown found={shown} onTook={took} problem={problem} oldSince={oldSince} />
}

/** Name, state and actions, which stay in view, and what else is to be said, which scrolls away below them. */
const Head = ({
  item,
  actions,
  children,
}: Children & { readonly item: Item; readonly actions?: ComponentChildren }) => (
  <>
    <header class={`case ${lookOf(item)}`} data-key="result" tabIndex={-1}>
      <div>
        <p class="standing">
          <Badge item={item} /> {item.drill && <span class="tag drill">{texts.value.drill}</span>}
        </p>
        <h1>{personOf(item)}</h1>
      </div>
      <CallPerson incident={item} />
      {actions}
    </header>
    <div class={`case-lines ${lookOf(item)}`}>
      <p class="standing">
        <Tags item={{ ...item, drill: false }} />
      </p>
      {children}
    </div>
  </>
)

/** The board's data, until the rest has been read. */
const FromBoard = ({ item }: { readonly item: Item }) => (
  <Head item={item}>
    <p>{timerText(item) ?? texts.value.pressed(ago(item.pressedAt), moment(item.pressedAt))}</p>
    <p>{item.answer === null ? texts.value.nobodyAnswered : answerText(item.answer)}</p>
    <p>
      {item.position === null
        ? texts.value.noPosition
        : `${decimalDegrees(item.position.latitude)}, ${decimalDegrees(item.position.longitude)} · ${ago(item.position.at)}`}
    </p>
  </Head>
)

type ShownProps = {
  readonly found: Case
  readonly onTook: (found: Case) => void
  readonly problem: string | null
  readonly oldSince: number | null
}

function Shown({ found, onTook, problem, oldSince }: ShownProps) {
  const t = texts.value
  const { incident } = found
  // The position of an exercise is invented.
  const pins = (isDrill(incident) ? [] : placesOf(incident)).map((position, n) => ({
    id: n === 0 ? incident.incidentId : `${incident.incidentId} ${n}`,
    label: [personOf(incident), sourceOf(incident, position)].filter((part) => part !== null).join(', '),
    urgency: incident.urgency,
    position,
    isInvented: incident.drill,
    ...(n === 0 && { trail: found.trail }),
  }))
  return (
    <main class="incident">
      <div class="above">
        <Back to="#/">{t.board.back}</Back>
        <MajorLink item={incident} />
        {!narrow.value && <Exports incident={incident} />}
      </div>
      {oldSince !== null && <p class="banner bad as-of">{t.asOf(moment(serverTime(oldSince)))}</p>}
      {isDrill(incident) && <p class="banner drill">{t.drills.isOne}</p>}
      <Head item={incident} actions={<Actions found={found} onTook={onTook} />}>
        <p>
          {timerText(incident) ?? t.pressed(ago(incident.pressedAt), moment(incident.pressedAt))}
          {incident.presses > 1 && `, ${t.pressedAgain(ago(lastPressOf(found)))}`} · {incident.applicationName}
        </p>
        {raisedText(incident) !== null && (
          <p class="raised">
            <strong>{raisedText(incident)}</strong>
          </p>
        )}
        {incident.lateSeconds !== null && (
          <p class="late">
            {t.arrivedLater(elapsed(incident.lateSeconds * 1000))}, {moment(incident.openedAt)}
          </p>
        )}
      </Head>
      <dl class="facts">
        <Place found={found} />
        <div>
          <dt>{t.whoHelps}</dt>
          <dd>
            {incident.answer === null ? (
              <>
                {t.nobodyAnswered}
                {incident.wasWith && (
                  <small>
                    {wasWithText(incident.wasWith)}, {ago(incident.wasWith.at)}
                  </small>
                )}
              </>
            ) : (
              <>
                {answerText(incident.answer)}
                <small>
                  {ago(incident.answer.at)} ({moment(incident.answer.at)})
                </small>
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>{incident.closing === null ? t.next.title : t.ended}</dt>
          <dd>{incident.closing === null ? <Next found={found} /> : <Ended incident={incident} />}</dd>
        </div>
      </dl>
      <Problem text={problem} />
      {isDrill(incident) && <DrillReportView id={incident.incidentId} version={incident.version} />}
      <div class="case-body">
        <div>
          {pins.length > 0 && <MapPane pins={pins} label={t.map} />}
          <Contacts found={found} onTook={onTook} />
          <Talk found={found} onTook={onTook} />
          <Notes found={found} onTook={onTook} />
        </div>
        <div>
          <Timeline found={found} />
          <Profile found={found} />
          <PersonCard key={incident.incidentId} incidentId={incident.incidentId} hasCard={found.hasCard} />
        </div>
      </div>
      {narrow.value && <Exports incident={incident} />}
    </main>
  )
}

/** The time of the newest further press or, if the timeline has none, of the newest alert's arrival. */
const lastPressOf = ({ incident, timeline }: Case): string =>
  timeline.findLast(({ kind }) => kind === 'pressed_again')?.at ?? incident.lastPressAt
