import { useEffect, useState } from 'preact/hooks'
import { type HeadCount, headCount } from '../../src/core/incident/head-count.ts'
import { ApiError, read } from '../api/client.ts'
import type { Item, MajorIncident } from '../api/types.ts'
import { inMajorOrder, takeable } from '../logic/major.ts'
import { isOpen } from '../logic/order.ts'
import { Back } from '../parts/back.tsx'
import { Empty, Problem } from '../parts/controls.tsx'
import { type Act, MajorAct } from '../parts/major-acts.tsx'
import { MajorEnd } from '../parts/major-end.tsx'
import { MajorTable } from '../parts/major-table.tsx'
import { MajorTake } from '../parts/major-take.tsx'
import { fullMoment, hour } from '../parts/moment.tsx'
import { problemOf, useTask } from '../parts/task.ts'
import { personOf } from '../parts/urgency.tsx'
import { boardReads, changed, open } from '../state/board.ts'
import { now } from '../state/clock.ts'
import { language, texts } from '../state/language.ts'
import { majors, notePart, offers, opening, openMajor } from '../state/majors.ts'
import { mayAct, me } from '../state/session.ts'
import { majorWords } from '../texts/major.ts'

/** Its alarms, open ones as the board has them; those that have ended are read once, and learned as they end. */
function useMembers(id: string, isOpened: boolean) {
  const [known, learnKnown] = useState<ReadonlyMap<string, Item>>(new Map())
  const [problem, setProblem] = useState<unknown>(null)
  const [isRead, noteRead] = useState(false)
  const reads = boardReads.value
  useEffect(() => {
    if (!isOpened) return
    let gone = false
    const heard = new Map<string, Item>()
    const stop = changed.subscribe((item) => {
      if (item === null) return
      heard.set(item.incidentId, item)
      learnKnown((before) => {
        if (item.major?.id !== id && !before.has(item.incidentId)) return before
        return new Map(before).set(item.incidentId, item)
      })
    })
    read<MajorIncident>(`/major-incidents/${id}`).then(
      ({ items }) => {
        if (gone) return
        // News that arrived meanwhile is newer.
        learnKnown(new Map(items.map((item) => [item.incidentId, heard.get(item.incidentId) ?? item])))
        setProblem(null)
        noteRead(true)
      },
      (error) => {
        if (gone) return
        setProblem(error)
        noteRead(true)
      },
    )
    return () => {
      gone = true
      stop()
    }
  }, [id, reads, isOpened])
  const items = new Map(known)
  for (const item of open.value) items.set(item.incidentId, item)
  return { items: [...items.values()].filter(({ major }) => major?.id === id), problem, isRead }
}

/** A major incident: the head count, its alarms, and what operators do with several of them, one by one. */
export function MajorView({ id }: { readonly id: string }) {
  const words = majorWords[language.value]
  const left = opening.value.get(id)
  const offer = offers.value.find((one) => one.id === id)
  // Nobody has opened it as one yet: there is nothing to read.
  const isOpened = boardReads.value > 0 && offer === undefined && left === undefined
  const { items, problem, isRead } = useMembers(id, isOpened)
  const back = <Back to="#/">{texts.value.board.back}</Back>
  if (items.length > 0) return <Shown id={id} items={items} back={back} />
  const isGone = isRead && left === undefined && offer === undefined
  return (
    <main class="major">
      {back}
      <h1>{texts.value.desk.major.title}</h1>
      {left !== undefined && <Empty>{words.opening(left)}</Empty>}
      {offer !== undefined && left === undefined && <OfferView offer={offer} />}
      {isGone && (
        <Problem text={isMissing(problem) ? words.gone : problem === null ? words.gone : problemOf(problem)} />
      )}
      {!isRead && left === undefined && offer === undefined && <Empty>{texts.value.loading}</Empty>}
    </main>
  )
}

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** The page of an address that nobody has opened as one yet. */
function OfferView({ offer }: { readonly offer: Parameters<typeof openMajor>[0] }) {
  const words = majorWords[language.value]
  const task = useTask()
  return (
    <section class="panel">
      <p>{words.offered(offer.items.length)}</p>
      <ul>
        {offer.items.map((item) => (
          <li key={item.incidentId}>
            <a href={`#/incident/${item.incidentId}`}>{personOf(item)}</a>, {hour(item.pressedAt)}
          </li>
        ))}
      </ul>
      {mayAct.value && (
        <button type="button" class="main" disabled={task.busy} onClick={() => void task.run(() => openMajor(offer))}>
          {words.asOne}
        </button>
      )}
      <Problem text={task.problem} />
    </section>
  )
}

type ShownProps = { readonly id: string; readonly items: readonly Item[]; readonly back: preact.JSX.Element }

function Shown({ id, items, back }: ShownProps) {
  const words = majorWords[language.value]
  const t = texts.value.desk.major
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const [act, begin] = useState<Act | 'take' | 'end' | null>(null)
  const ordered = inMajorOrder(items)
  const picked = ordered.filter((item) => isOpen(item) && chosen.has(item.incidentId))
  const near = majors.value.find((major) => major.id === id)?.near ?? []
  const left = opening.value.get(id)
  const counted = ordered.filter((item) => isOpen(item) && item.major?.head !== undefined).length
  const untaken = takeable(items).length
  const acts: readonly (readonly [Act, string])[] = [
    ['assign', words.assign],
    ['note', words.note],
    ['message', words.message],
    ['seen', words.seen],
    ['takeOut', words.takeOut],
  ]
  const startedAt = items[0]!.major!.startedAt
  return (
    <main class="major">
      <div class="above">{back}</div>
      <header class="major-head" data-key="result" tabIndex={-1}>
        <h1>{t.since(hour(startedAt))}</h1>
        <Counts count={headCount(items)} />
        {left !== undefined && <p role="status">{words.opening(left)}</p>}
        {mayAct.value && (
          <div class="actions">
            <button type="button" class="main" data-key="take" disabled={untaken === 0} onClick={() => begin('take')}>
              {words.take(untaken)}
            </button>
            <button type="button" data-key="end" disabled={counted === 0} onClick={() => begin('end')}>
              {words.end(counted)}
            </button>
            <button type="button" onClick={() => print()}>
              {words.print}
            </button>
            <a href={`/v1/operator/major-incidents/${id}/people.csv`} download>
              {words.csv}
            </a>
          </div>
        )}
        <p class="quiet hint">{words.means}</p>
        <p class="only-printed">{words.printed(me.value?.name ?? '', fullMoment(new Date(now.value).toISOString()))}</p>
      </header>
      {near.length > 0 && <Near id={id} items={near} />}
      {mayAct.value && (
        <div class="tools major-tools" role="toolbar" aria-label={t.title}>
          {acts.map(([name, label]) => (
            <button key={name} type="button" class="small" disabled={picked.length === 0} onClick={() => begin(name)}>
              {label}
            </button>
          ))}
          <span class="quiet" role="status">
            {words.chosen(picked.length)}
          </span>
        </div>
      )}
      <MajorTable id={id} items={ordered} chosen={chosen} onChoose={choose} />
      {act === 'take' && <MajorTake items={items} onDone={() => begin(null)} />}
      {act === 'end' && <MajorEnd id={id} items={items} onDone={() => begin(null)} />}
      {act !== null && act !== 'take' && act !== 'end' && (
        <MajorAct key={act} id={id} act={act} items={picked} onChoose={choose} onDone={() => begin(null)} />
      )}
    </main>
  )
}

function Counts({ count }: { readonly count: HeadCount }) {
  const words = majorWords[language.value]
  const { pressed, answered, safe, handedOver, ended } = count
  const rows = [
    ['pressed', words.pressed, pressed],
    ['answered', words.answered, answered],
    ['safe', words.safe, safe],
    ['handed', words.handed_over, handedOver],
    ...(ended > 0 ? ([['ended', words.ended, ended]] as const) : []),
    ['missing', words.notCounted, pressed - safe - handedOver - ended],
  ] as const
  return (
    <dl class="head-count" aria-label={words.count}>
      {rows.map(([name, label, number]) => (
        <div key={name} class={name}>
          <dt>{label}</dt>
          <dd>{number}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Later alarms nearby. They are alarms like all others: to add them changes nothing of that. */
function Near({ id, items }: { readonly id: string; readonly items: readonly Item[] }) {
  const words = majorWords[language.value]
  const task = useTask()
  const add = (some: readonly Item[]) => () =>
    void task.run(async () => {
      for (const item of some) await notePart(item, { id })
    })
  return (
    <section class="panel major-near" aria-label={words.nearby}>
      <h2>
        {words.nearby} <span class="count">{items.length}</span>
      </h2>
      <p class="hint">{words.nearbyMeans}</p>
      <ul>
        {items.map((item) => (
          <li key={item.incidentId}>
            <span>
              <strong class="tag new">{texts.value.isNew}</strong>{' '}
              <a href={`#/incident/${item.incidentId}`}>{personOf(item)}</a>, {hour(item.pressedAt)}
            </span>
            {mayAct.value && (
              <button
                type="button"
                class="small"
                aria-label={`${words.add}: ${personOf(item)}`}
                disabled={task.busy}
                onClick={add([item])}
              >
                {words.add}
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayAct.value && items.length > 1 && (
        <button type="button" class="small" disabled={task.busy} onClick={add(items)}>
          {words.addAll(items.length)}
        </button>
      )}
      <Problem text={task.problem} />
    </section>
  )
}
