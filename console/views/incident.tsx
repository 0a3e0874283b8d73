import { ArrowLeft, Phone } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { decimalDegrees, degreesAndMinutes, mgrs } from '../../src/core/text/coordinates.ts'
import { ApiError, call, isLost, poll, read, send } from '../api/client.ts'
import type { Case, ContactState, EndOutcome, Item, Position } from '../api/types.ts'
import { insist } from '../logic/insist.ts'
import { isDrill } from '../logic/order.ts'
import { readable } from '../logic/plain-text.ts'
import { failureText, remarkText } from '../logic/service-words.ts'
import { fieldWith } from '../logic/written.ts'
import { administration } from '../parts/administration-on-demand.ts'
import { Timeline } from '../parts/case-timeline.tsx'
import { Confirm, Empty, Field, Form, Panel, Problem, Select } from '../parts/controls.tsx'
import { CopyMenu } from '../parts/copy-menu.tsx'
import { DrillReportView } from '../parts/drill-report.tsx'
import { Icon } from '../parts/icon.tsx'
import { focusResult } from '../parts/keys.tsx'
import { MapPane } from '../parts/map-pane.tsx'
import { ago, elapsed, hour, moment, Until } from '../parts/moment.tsx'
import { onDemand } from '../parts/on-demand.tsx'
import { PersonCard } from '../parts/person-card.tsx'
import { isBySms, placesOf, raisedText, sourceOf } from '../parts/places.tsx'
import { Talk } from '../parts/talk.tsx'
import { problemOf, useTask } from '../parts/task.ts'
import { answerText, Badge, lookOf, personOf, Tags, timerText, wasWithText } from '../parts/urgency.tsx'
import { shownStatus, worded } from '../parts/wording.ts'
import { boardReads, changed, learn, open } from '../state/board.ts'
import { keepCase, keptCase } from '../state/cases.ts'
import { now, serverTime } from '../state/clock.ts'
import { language, texts } from '../state/language.ts'
import { mayAct, me } from '../state/session.ts'
import { refused, takeRefused, write, written } from '../state/written.ts'

const BEAT_MS = 20_000

/** One incident with all its data, kept up to date, and the actions of the operator. */
export function Incident({ id }: { readonly id: string }) {
  const t = texts.value
  const [shown, show] = useState<Case | null>(() => keptCase(id)?.found ?? null)
  /** Start of the lost connection (epoch ms): the state since then is unknown. */
  const [oldSince, grow] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [turn, again] = useState(0)
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
  }
  // Once somebody has opened an incident, it is no longer new on any screen.
  // Not in a tab that nobody looks at.
  const isUnseen = shown !== null && (shown.incident.news !== undefined || shown.incident.new) && mayAct.value
  const newsAt = isUnseen ? (shown.incident.news?.at ?? shown.incident.openedAt) : null
  useEffect(() => {
    if (newsAt === null) return
    const look = (): void => {
      if (document.visibilityState === 'hidden') return
      removeEventListener('visibilitychange', look, { capture: true })
      void send<Case>(`/incidents/${id}/seen`).then(took, () => {})
    }
    addEventListener('visibilitychange', look, { capture: true })
    look()
    return () => removeEventListener('visibilitychange', look, { capture: true })
  }, [id, newsAt])
  const item = open.value.find(({ incidentId }) => incidentId === id)
  if (shown === null) {
    return (
      <main>
        <a href="#/" class="back">
          <Icon of={ArrowLeft} /> {t.board.back}
        </a>
        <Problem text={problem} />
        {problem === null && <Empty>{t.loading}</Empty>}
        {item !== undefined && <FromBoard item={item} />}
      </main>
    )
  }
  return <Shown found={shown} onTook={took} problem={problem} oldSince={oldSince} />
}

/** The board's data, until the rest has been read. */
const FromBoard = ({ item }: { readonly item: Item }) => (
  <header class={`case ${lookOf(item)}`}>
    <div>
      <Badge item={item} /> <Tags item={item} />
      <h1>{personOf(item)}</h1>
      <p>{timerText(item) ?? texts.value.pressed(ago(item.pressedAt), moment(item.pressedAt))}</p>
      <p>{item.answer === null ? texts.value.nobodyAnswered : answerText(item.answer)}</p>
      <p>
        {item.position === null
          ? texts.value.noPosition
          : `${decimalDegrees(item.position.latitude)}, ${decimalDegrees(item.position.longitude)} · ${ago(item.position.at)}`}
      </p>
    </div>
    <CallPerson incident={item} />
  </header>
)

function CallPerson({ incident: { silent, person } }: { readonly incident: Item }) {
  const t = texts.value
  if (silent)
    return (
      <p>
        <strong>{t.doNotCall}</strong>
      </p>
    )
  if (person.phone === null) return <p>{t.lacks.phone}</p>
  return (
    <a class="call" href={`tel:${person.phone}`}>
      <span>
        <Icon of={Phone} /> {t.call}
      </span>
      <strong>{person.phone}</strong>
    </a>
  )
}

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
        <a href="#/" class="back">
          <Icon of={ArrowLeft} /> {t.board.back}
        </a>
        <MajorLink item={incident} />
        <Exports incident={incident} />
      </div>
      {oldSince !== null && <p class="banner bad as-of">{t.asOf(moment(serverTime(oldSince)))}</p>}
      {isDrill(incident) && <p class="banner drill">{t.drills.isOne}</p>}
      <header class={`case ${lookOf(incident)}`} data-key="result" tabIndex={-1}>
        <div>
          <Badge item={incident} /> <Tags item={incident} />
          <h1>{personOf(incident)}</h1>
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
        </div>
        <CallPerson incident={incident} />
        <Actions found={found} onTook={onTook} />
      </header>
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
        </div>
        <div>
          <Timeline found={found} />
          <Profile found={found} />
          <PersonCard key={incident.incidentId} incidentId={incident.incidentId} hasCard={found.hasCard} />
          <Notes found={found} onTook={onTook} />
        </div>
      </div>
    </main>
  )
}

/** The time of the newest further press or, if the timeline has none, of the newest alert's arrival. */
const lastPressOf = ({ incident, timeline }: Case): string =>
  timeline.findLast(({ kind }) => kind === 'pressed_again')?.at ?? incident.lastPressAt

const aged = (text: string, at: string | undefined): string => (at === undefined ? text : `${text}, ${ago(at)}`)

function Place({ found: { incident, remarks } }: { readonly found: Case }) {
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
      <span class="coordinates">
        {written.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </span>
      <CopyMenu forms={written} of={t.position} />
    </>
  )
}

const SOON = 3

/** The next automatic steps and their times, so that nobody has to remember them at night. */
function Next({ found }: { readonly found: Case }) {
  const t = texts.value
  const names = new Map(found.contacts.map(({ contactId, name }) => [contactId, readable(name) ?? t.somebody]))
  if (found.incident.held) return <>{t.heldNow}</>
  if (found.next.length === 0) return <>{t.next.nothing}</>
  return (
    <ul class="next">
      {found.next.slice(0, SOON).map(({ at, what, channel, contactId }, n) => (
        <li key={`${at}${n}`}>
          <Until at={at} />{' '}
          {what === 'message'
            ? t.next.message(worded(t.channels, channel ?? ''), names.get(contactId ?? '') ?? null)
            : worded(t.next.what, what)}
        </li>
      ))}
    </ul>
  )
}

function Ended({ incident: { closing } }: { readonly incident: Item }) {
  const t = texts.value
  if (closing === null) return null
  return (
    <>
      {worded(t.closing, closing.kind)}
      {closing.by !== null && ` · ${worded(t.closedBy, closing.by)}`}
      {closing.name != null && ` (${closing.name})`}
      {outcomeText(closing) !== null && <span class="outcome">{outcomeText(closing)}</span>}
      <small>
        {moment(closing.at)}
        {!closing.confirmed && ` · ${t.notConfirmed}`}
      </small>
    </>
  )
}

/** The outcome in words; null if nobody has given one. */
function outcomeText({ outcome, note }: Pick<NonNullable<Item['closing']>, 'outcome' | 'note'>): string | null {
  const said = [outcome && texts.value.outcomes[outcome], readable(note ?? null)].filter(Boolean)
  return said.length === 0 ? null : said.join(': ')
}

type Remark = { readonly outcome: EndOutcome | ''; readonly note: string }

/** An optional remark of the operator who ends the incident. */
function EndRemark({ said, say }: { readonly said: Remark; readonly say: (said: Remark) => void }) {
  const t = texts.value
  return (
    <>
      <Select
        label={t.outcomeAsk}
        value={said.outcome}
        options={[['', t.outcomeUnknown], ...Object.entries(t.outcomes)]}
        onPick={(outcome) => say({ ...said, outcome: outcome as Remark['outcome'] })}
      />
      <Field
        label={t.outcomeNote}
        hint={t.outcomeHint}
        maxLength={500}
        value={said.note}
        onInput={(event) => say({ ...said, note: event.currentTarget.value })}
      />
    </>
  )
}

const sentRemark = ({ outcome, note }: Remark) => ({
  ...(outcome !== '' && { outcome }),
  ...(note.trim() !== '' && { note }),
})

type Verb = 'take' | 'take-over' | 'untake' | 'resolve' | 'resume' | 'alarm-now' | 'called-back'

/** Never queued: it is taken now, as the screen shows it, or not at all. */
const taken = (incidentId: string, presses: number): Promise<Case> =>
  insist((withinMs) => call<Case>('POST', `/incidents/${incidentId}/take?presses=${presses}`, {}, { withinMs }), {
    now: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    isVisible: () => document.visibilityState === 'visible',
    isLost,
  })

function NotTaken({ incident }: { readonly incident: Item }) {
  const t = texts.value
  const { phone } = incident.person
  return (
    <p class="problem not-taken" role="alert">
      <strong>{t.notTaken}</strong>{' '}
      {incident.silent ? t.doNotCall : phone !== null && <a href={`tel:${phone}`}>{t.callNumber(phone)}</a>}
    </p>
  )
}

function Actions({ found, onTook }: { readonly found: Case; readonly onTook: (found: Case) => void }) {
  const t = texts.value
  const task = useTask()
  /** The number of presses on the screen when the end was requested. More may come before it is confirmed. */
  const [asking, ask] = useState<number | null>(null)
  const [remark, say] = useState<Remark>({ outcome: '', note: '' })
  const { incident, mayUndoTakeUntil } = found
  const isOpen = incident.closing === null && incident.closedAt === null
  const mayUndo = mayUndoTakeUntil !== null && Date.parse(mayUndoTakeUntil) > now.value
  const { incidentId, presses, takenBy: owner } = incident
  const [refused, refuse] = useState<'take' | 'resolve' | null>(null)
  const act = (verb: Verb) => () =>
    void task
      .run(async () => {
        refuse(null)
        try {
          if (verb === 'called-back') {
            const found = await write({ incidentId, path: verb, body: { contactId: null } })
            if (found !== null) onTook(found)
          } else if (verb === 'alarm-now') {
            const opened = await send<Case>(`/incidents/${incidentId}/${verb}`, {})
            location.hash = `#/incident/${opened.incident.incidentId}`
          } else if (verb === 'take-over') {
            onTook(await send<Case>(`/incidents/${incidentId}/${verb}`, { from: owner?.operatorId ?? null }))
          } else if (verb === 'take') {
            onTook(await taken(incidentId, presses))
          } else if (verb === 'resolve') {
            onTook(
              await send<Case>(`/incidents/${incidentId}/resolve?presses=${asking ?? presses}`, sentRemark(remark)),
            )
          } else {
            onTook(await send<Case>(`/incidents/${incidentId}/${verb}`, {}))
          }
        } catch (error) {
          if (verb === 'take' && isLost(error)) {
            refuse('take')
            return
          }
          // Someone else was first: show their action, and say so.
          if (error instanceof ApiError && error.status === 409) onTook(await poll(`/incidents/${incident.incidentId}`))
          if (verb !== 'resolve' || !(error instanceof ApiError) || error.reason !== 'pressed_again') throw error
          refuse('resolve')
        }
      })
      .then(() => ask(null))
      .then(focusResult)
  return (
    <div class="bar">
      {mayAct.value && isOpen && (
        <div class="actions">
          {incident.urgency < 4 && (
            <button type="button" class="main" data-key="take" disabled={task.busy} onClick={act('take')}>
              {t.take}
            </button>
          )}
          {owner !== undefined && owner.operatorId !== me.value?.id && (
            <button type="button" disabled={task.busy} onClick={act('take-over')}>
              {t.shift.takeOver(readable(owner.name) ?? t.somebody)}
            </button>
          )}
          {mayUndo && (
            <button type="button" disabled={task.busy} onClick={act('untake')}>
              {t.undoTake} <Until at={mayUndoTakeUntil} />
            </button>
          )}
          {incident.held && (
            <button type="button" disabled={task.busy} onClick={act('resume')}>
              {t.resume}
            </button>
          )}
          <button type="button" data-key="end" disabled={task.busy} onClick={() => ask(presses)}>
            {isDrill(incident) ? t.drills.end : t.resolve}
          </button>
        </div>
      )}
      {mayAct.value && incident.putOff && (
        <div class="actions">
          <button type="button" class="main" disabled={task.busy} onClick={act('alarm-now')}>
            {t.alarmNow}
          </button>
        </div>
      )}
      {mayAct.value && incident.toCallBack > 0 && (
        <div class="actions">
          <button type="button" class="main" disabled={task.busy} onClick={act('called-back')}>
            {t.tickCalledBack}
          </button>
          <p class="hint">{incident.silent ? t.doNotCall : t.toCallBack(personOf(incident))}</p>
        </div>
      )}
      {!mayAct.value && <p class="quiet">{t.mayOnlyLook}</p>}
      {refused === 'take' && <NotTaken incident={incident} />}
      {refused === 'resolve' && (
        <p class="problem" role="alert">
          <strong>{t.notEnded}</strong>
        </p>
      )}
      <Problem text={task.problem} />
      {asking !== null && (
        <Confirm
          title={isDrill(incident) ? t.drills.endAsk : t.resolveAsk}
          yes={isDrill(incident) ? t.drills.end : t.resolve}
          busy={task.busy}
          onYes={act('resolve')}
          onNo={() => ask(null)}
        >
          <p>{isDrill(incident) ? t.drills.endMeans : t.resolveMeans(personOf(incident))}</p>
          {!isDrill(incident) && <EndRemark said={remark} say={say} />}
        </Confirm>
      )}
    </div>
  )
}

const MajorPart = onDemand(async () => (await administration()).MajorPart, 'section')

/** The way to its major incident or, by hand, into one. */
function MajorLink({ item }: { readonly item: Item }) {
  const [asking, ask] = useState(false)
  const { title, since } = texts.value.desk.major
  if (item.major !== undefined) return <a href={`#/major/${item.major.id}`}>{since(hour(item.major.startedAt))}</a>
  if (!mayAct.value || item.closedAt !== null) return null
  return (
    <>
      <button type="button" class="small" onClick={() => ask(true)}>
        {title}
      </button>
      {asking && <MajorPart item={item} onDone={() => ask(false)} />}
    </>
  )
}

/** What leaves the console: the report, and the trail in three forms. */
function Exports({ incident }: { readonly incident: Item }) {
  const t = texts.value
  if (!mayAct.value) return null
  const forms = [
    [`report?language=${language.value}`, t.report],
    ['trail.gpx', 'GPX'],
    ['trail.csv', 'CSV'],
    ['export.json', 'JSON'],
  ] as const
  return (
    <p class="exports">
      {forms.map(([path, label]) => (
        <a key={path} href={`/v1/operator/incidents/${incident.incidentId}/${path}`} target="_blank" rel="noreferrer">
          {label}
        </a>
      ))}
    </p>
  )
}

function Contacts({ found, onTook }: { readonly found: Case; readonly onTook: (found: Case) => void }) {
  const t = texts.value
  const task = useTask()
  const { incidentId, closedAt } = found.incident
  const act = (path: string, contactId: string) => () =>
    void task.run(async () => onTook(await send<Case>(`/incidents/${incidentId}/${path}`, { contactId })))
  const show = (contactId: string) => () =>
    void task.run(async () => onTook(await send<Case>(`/incidents/${incidentId}/contacts/${contactId}/show-position`)))
  const said = ({ response, acknowledgedAt }: ContactState): string | null => {
    if (response !== null) {
      const what =
        response.kind === 'coming' ? t.comingIn(response.etaMinutes ?? 0) : worded(t.responses, response.kind)
      return `${what}, ${ago(response.at)}`
    }
    return acknowledgedAt === null ? null : `${t.responses.acknowledged}, ${ago(acknowledgedAt)}`
  }
  return (
    <Panel title={t.contacts}>
      {found.incident.fewTold && (
        <p class="hint">{t.fewToldMeans[isBySms(found.incident) ? 'sms' : found.incident.fewTold]}</p>
      )}
      {found.incident.contactsChangedAt && <p class="hint">{t.contactsChanged}</p>}
      {found.incident.accountChangedAt && <p class="hint">{t.accountChanged}</p>}
      {found.incident.nobodyLeft && <p class="hint">{t.nobodyLeft}</p>}
      {found.contacts.length === 0 && <Empty>{t.noContacts}</Empty>}
      <ul class="contacts">
        {found.contacts.map((contact) => (
          <li key={contact.contactId}>
            <div class="contact-who">
              <span>
                <strong>{readable(contact.name) ?? t.somebody}</strong>
                {contact.phone !== null && <a href={`tel:${contact.phone}`}>{contact.phone}</a>}
              </span>
              {said(contact) !== null && (
                <span class={contact.response?.kind === 'unable' ? 'said unable' : 'said'}>{said(contact)}</span>
              )}
            </div>
            <ul class="channels">
              {contact.channels.map(({ channel, status, error, at, mayHaveArrived }) => (
                <li key={channel} class={`s-${status}`}>
                  <span>{worded(t.channels, channel)}</span> {worded(t.statuses, shownStatus(status, mayHaveArrived))}
                  {at && <small>{ago(at)}</small>}
                  {error && <small class="error">{failureText(error, t)}</small>}
                </li>
              ))}
            </ul>
            {closedAt === null && contact.joined === 'session' && contact.position === 'withheld' && (
              <small class="quiet">{t.placeWithheld}</small>
            )}
            {contact.onCall && <small class="quiet">{t.views.onCall}</small>}
            {contact.stopped && <small class="quiet">{contact.stopped === 'stop' ? t.saidStop : t.saidStranger}</small>}
            {closedAt === null && contact.position === 'over' && <small class="quiet">{t.placeOver}</small>}
            {mayAct.value && (
              <div class="actions">
                {closedAt === null && (
                  <button type="button" class="small" disabled={task.busy} onClick={act('resend', contact.contactId)}>
                    {t.resend}
                  </button>
                )}
                {closedAt === null &&
                  contact.joined === 'session' &&
                  contact.position === 'withheld' &&
                  !contact.removed && (
                    <button type="button" class="small" disabled={task.busy} onClick={show(contact.contactId)}>
                      {t.showPosition}
                    </button>
                  )}
              </div>
            )}
            {contact.calledBack !== null && (
              <small class="quiet">{t.calledBack(contact.calledBack.by, ago(contact.calledBack.at))}</small>
            )}
          </li>
        ))}
      </ul>
      <Problem text={task.problem} />
    </Panel>
  )
}

function Notes({ found, onTook }: { readonly found: Case; readonly onTook: (found: Case) => void }) {
  const t = texts.value
  const task = useTask()
  const [text, type] = useState('')
  const { incidentId } = found.incident
  const waiting = written.value.filter((one) => one.incidentId === incidentId)
  const [notSaved, saySo] = useState<string | null>(null)
  const isRefused = refused.value.some((one) => one.incidentId === incidentId)
  useEffect(() => {
    const back = takeRefused(incidentId)
    if (back.length === 0) return
    type((typed) => fieldWith(back, typed))
    saySo(problemOf(back.at(-1)!.error))
  }, [isRefused])
  const add = (): void =>
    void task.run(async () => {
      saySo(null)
      const added = await write({ incidentId, path: 'notes', body: { text } })
      if (added !== null) onTook(added)
      type('')
    })
  return (
    <Panel title={t.notes}>
      <ul class="notes">
        {found.notes.map(({ at, by, text: said }) => (
          <li key={`${at}${said}`}>
            <p>{said}</p>
            <small class="quiet">
              {by}, {moment(at)}
            </small>
          </li>
        ))}
        {waiting.map(({ at, path, body }) => (
          <li key={`${path}${at}`} class="waits">
            <p>{path === 'notes' ? String(body.text) : t.tickCalledBack}</p>
            <small>{t.notSentYet(moment(new Date(at).toISOString()))}</small>
          </li>
        ))}
      </ul>
      {mayAct.value && (
        <Form onSend={add}>
          <label class="field">
            <span>{t.addNote}</span>
            <textarea
              data-key="note"
              rows={2}
              maxLength={2000}
              value={text}
              onInput={(event) => type(event.currentTarget.value)}
            />
          </label>
          <button type="submit" disabled={task.busy || text.trim() === ''}>
            {t.saveNote}
          </button>
          {notSaved !== null && (
            <p class="problem" role="alert">
              <strong>{t.notSaved}</strong> {notSaved}
            </p>
          )}
          <Problem text={task.problem} />
        </Form>
      )}
    </Panel>
  )
}

function Profile({ found: { profile } }: { readonly found: Case }) {
  const t = texts.value
  const facts = Object.entries(profile ?? {}).filter(([, value]) => value !== null && String(value) !== '')
  if (facts.length === 0) return null
  return (
    <Panel title={t.profile.title}>
      <dl class="plain">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{worded(t.profile.fields, name)}</dt>
            <dd class="lines">{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
