import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { send } from '../api/client.ts'
import { stream } from '../api/stream.ts'
import { readable } from '../logic/plain-text.ts'
import { arm, audible } from '../state/alarm.ts'
import { firstSteps, readFirstSteps } from '../state/first-steps.ts'
import { canary, outboxOnly } from '../state/health.ts'
import { texts } from '../state/language.ts'
import { lastAlarm, lastDrill, readLast, sitePlace } from '../state/quiet.ts'
import { maySetUp, me } from '../state/session.ts'
import { shift } from '../state/shift.ts'
import { Problem } from './controls.tsx'
import { ago } from './moment.tsx'
import { useTask } from './task.ts'
import { personOf } from './urgency.tsx'

type FactProps = { readonly name: string; readonly bad?: boolean; readonly children: ComponentChildren }
const Fact = ({ name, bad = false, children }: FactProps) => (
  <div class={bad ? 'bad' : undefined}>
    <dt>{name}</dt>
    <dd>
      {bad && <span aria-hidden="true">✕ </span>}
      {children}
    </dd>
  </div>
)

/** Nothing is open: since when, and whether an alarm would be noticed here. Known facts only. */
export function AllQuiet() {
  const t = texts.value
  const { quiet } = t.desk
  useEffect(() => void readLast().catch(() => {}), [])
  useEffect(() => void (maySetUp.value && readFirstSteps().catch(() => {})), [])
  const { value: last } = lastAlarm
  const { value: drill } = lastDrill
  const { value: test } = canary
  const present = shift.value?.onShift ?? null
  const names = present?.map(({ operatorId, name }) => {
    const shown = readable(name) ?? t.somebody
    return operatorId === me.value?.id ? t.shift.you(shown) : shown
  })
  return (
    <section class="all-quiet-card" aria-labelledby="all-quiet">
      <h2 id="all-quiet">{quiet.title}</h2>
      <p class="lead">{t.board.none}</p>
      {last === null && <p class="quiet">{quiet.never}</p>}
      {last?.closedAt && <p class="quiet">{quiet.since(ago(last.closedAt))}</p>}
      <dl>
        {names !== undefined && (
          <Fact name={t.shift.onShift} bad={names.length === 0}>
            {names.length === 0 ? t.shift.nobody : names.join(', ')}
          </Fact>
        )}
        <Fact name={quiet.sound} bad={!audible.value}>
          {audible.value ? quiet.soundOn : quiet.soundOff}{' '}
          {!audible.value && (
            <button type="button" class="small" onClick={() => void arm()}>
              {quiet.turnOn}
            </button>
          )}
        </Fact>
        <Fact name={quiet.connection} bad={!stream.value.live}>
          {stream.value.live ? quiet.connected : quiet.cut}
        </Fact>
        <Fact name={quiet.messages} bad={outboxOnly.value}>
          {outboxOnly.value ? quiet.stay : quiet.leave}
        </Fact>
        {test !== undefined && (
          <Fact name={quiet.canary} bad={test !== null && test.failuresInARow > 0}>
            {test === null
              ? quiet.canaryOff
              : test.failuresInARow > 0
                ? quiet.canaryFails
                : test.passedAt === null
                  ? '–'
                  : quiet.canaryAt(ago(test.passedAt))}
          </Fact>
        )}
        {drill !== undefined && (
          <Fact name={quiet.drill}>
            {drill === null ? t.none : quiet.lastDrill(personOf(drill), ago(drill.openedAt))}
          </Fact>
        )}
      </dl>
      {maySetUp.value && firstSteps.value?.maySimulate && <Simulate />}
    </section>
  )
}

function Simulate() {
  const t = texts.value
  const task = useTask()
  const simulate = (): void =>
    void task.run(async () => {
      const place = await sitePlace().catch(() => null)
      const at = place === null ? '' : `?latitude=${place.latitude}&longitude=${place.longitude}`
      await send(`/simulate${at}`)
    })
  return (
    <>
      <button type="button" disabled={task.busy} onClick={simulate}>
        {t.desk.quiet.simulate}
      </button>
      <Problem text={task.problem} />
    </>
  )
}
