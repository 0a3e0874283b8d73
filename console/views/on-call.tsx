import { useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { OnCall } from '../api/types.ts'
import { daysOf } from '../logic/days.ts'
import { readable } from '../logic/plain-text.ts'
import { zoneName } from '../logic/time-zones.ts'
import { Empty, Form, Panel, Problem, Select } from '../parts/controls.tsx'
import { useRead } from '../parts/listing.tsx'
import { OnCallList } from '../parts/on-call-list.tsx'
import { useTask } from '../parts/task.ts'
import { When } from '../parts/when.tsx'
import { now } from '../state/clock.ts'
import { language, locale, texts } from '../state/language.ts'
import { mayAct, maySetUp } from '../state/session.ts'
import { onCallWords } from '../texts/on-call.ts'

const DAYS = 7
/** Further away, the year is worth saying. */
const YEAR_MS = 300 * 86_400_000

/** The people on duty now and this week, overrides, and for administrators the list itself. */
export function OnCallView() {
  const { found, problem, again } = useRead<OnCall>('/on-call')
  const [changed, change] = useState<OnCall | null>(null)
  const view = changed ?? found
  const words = onCallWords[language.value]
  return (
    <main>
      <h1>{texts.value.views.onCall}</h1>
      <Problem text={problem} />
      {view === null ? (
        problem === null && <Empty>{texts.value.loading}</Empty>
      ) : (
        <>
          {view.list === null ? <Empty>{words.none}</Empty> : <Now view={view} onChanged={change} />}
          {view.list !== null && <Week view={view} />}
          {view.list !== null && maySetUp.value && <Overrides view={view} onChanged={change} />}
          {maySetUp.value && (
            <OnCallList
              key={view.list?.version ?? 0}
              view={view}
              onChanged={(next) => {
                change(next)
                if (next === null) again()
              }}
            />
          )}
        </>
      )}
    </main>
  )
}

type Part = { readonly view: OnCall; readonly onChanged: (view: OnCall) => void }

const shown = (name: string): string => readable(name) ?? name

function Now({ view, onChanged }: Part) {
  const words = onCallWords[language.value]
  const task = useTask()
  const { name, until, personId } = view.now
  const own = view.list!.overrides.find(
    (one) =>
      one.personId === view.ownPersonId && Date.parse(one.from) <= now.value && now.value < Date.parse(one.until),
  )
  const act = (work: () => Promise<OnCall>) => () => void task.run(async () => onChanged(await work()))
  return (
    <section class={`panel on-duty ${name === null ? 'nobody' : ''}`}>
      <h2>{name === null ? words.nobody : words.onDuty(shown(name))}</h2>
      {until !== null && <p>{words.until(dayAndTime(until))}</p>}
      <p class="quiet">{words.means(view.list!.afterMinutes)}</p>
      {view.findings.map(({ code, from, until: end, names }) => (
        <p key={code} class="warn">
          ⚠{' '}
          {code === 'on_call_unreachable' || code === 'on_call_disabled'
            ? words.findings[code](names.map(shown).join(', '))
            : words.findings[code](from === null ? '' : dayAndTime(from), end === null ? '' : dayAndTime(end))}
        </p>
      ))}
      {mayAct.value && view.ownPersonId === null && <p class="quiet">{words.notListed}</p>}
      {mayAct.value && view.ownPersonId !== null && (
        <div class="actions">
          {personId !== view.ownPersonId && (
            <button type="button" class="main" disabled={task.busy} onClick={act(() => send('/on-call/take', {}))}>
              {words.tonight}
            </button>
          )}
          {own !== undefined && (
            <button type="button" disabled={task.busy} onClick={act(() => call('DELETE', `/on-call/take/${own.id}`))}>
              {words.giveBack}
            </button>
          )}
        </div>
      )}
      <Problem text={task.problem} />
    </section>
  )
}

const dayAndTime = (at: string): string =>
  new Intl.DateTimeFormat(locale.value, {
    ...{ weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...(Math.abs(Date.parse(at) - now.value) > YEAR_MS && { year: 'numeric' }),
  }).format(new Date(at))

/** A column per day, with the person on duty. */
function Week({ view }: { readonly view: OnCall }) {
  const words = onCallWords[language.value]
  const day = new Intl.DateTimeFormat(locale.value, { weekday: 'short', day: 'numeric', month: 'short' })
  const time = new Intl.DateTimeFormat(locale.value, { timeStyle: 'short', hourCycle: 'h23' })
  return (
    <Panel title={words.week}>
      <ol class="week">
        {daysOf(view.duties, now.value, DAYS).map(({ date, duties }, n) => (
          <li key={date.getTime()} aria-current={n === 0 ? 'date' : undefined}>
            <h3>{day.format(date)}</h3>
            {duties.map(({ from, name, overrideId, isStart }) => (
              <p key={from} class={name === null ? 'nobody' : undefined}>
                {isStart && <span class="quiet">{words.fromTime(time.format(new Date(from)))} </span>}
                <strong>{name === null ? words.gap : shown(name)}</strong>
                {overrideId !== null && <span class="quiet"> ({words.override})</span>}
              </p>
            ))}
          </li>
        ))}
      </ol>
      <p class="quiet">{words.zone(zoneName(view.list!.timeZone, locale.value))}</p>
    </Panel>
  )
}

function Overrides({ view, onChanged }: Part) {
  const words = onCallWords[language.value]
  const task = useTask()
  const { people, overrides } = view.list!
  const [personId, pick] = useState(people[0]?.id ?? '')
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState('')
  const coming = overrides.filter((one) => Date.parse(one.until) > now.value)
  const nameOf = (id: string): string => shown(people.find((one) => one.id === id)?.name ?? id)
  const iso = (local: string): string => new Date(local).toISOString()
  const put = (): void =>
    void task.run(async () => {
      const given = { personId, ...(from !== '' && { from: iso(from) }), ...(until !== '' && { until: iso(until) }) }
      onChanged(await send<OnCall>('/on-call/overrides', given))
    })
  return (
    <Panel title={words.overrides}>
      <p class="quiet">{words.overridesMean}</p>
      <ul class="plain">
        {coming.map((one) => (
          <li key={one.id}>
            <strong>{nameOf(one.personId)}</strong> {dayAndTime(one.from)} – {dayAndTime(one.until)}{' '}
            <button
              type="button"
              class="small"
              disabled={task.busy}
              onClick={() =>
                void task.run(async () => onChanged(await call<OnCall>('DELETE', `/on-call/overrides/${one.id}`)))
              }
            >
              {words.remove}
            </button>
          </li>
        ))}
      </ul>
      {people.length > 0 && (
        <Form class="filters on-call-form" onSend={put}>
          <Select
            label={words.person}
            value={personId}
            options={people.map(({ id, name }) => [id, shown(name)])}
            onPick={pick}
          />
          <When label={words.from} value={from} onPick={setFrom} />
          <When label={words.untilWhen} value={until} onPick={setUntil} />
          <button type="submit" class="main" disabled={task.busy}>
            {words.put}
          </button>
        </Form>
      )}
      <Problem text={task.problem} />
    </Panel>
  )
}
