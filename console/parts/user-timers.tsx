import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { Items, Timer } from '../api/types.ts'
import { now } from '../state/clock.ts'
import { allTexts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { Confirm, Panel, Problem } from './controls.tsx'
import { Table, useRead } from './listing.tsx'
import { Moment } from './moment.tsx'
import { useTask } from './task.ts'

const HOUR_MS = 3_600_000

/** The running timers of a user: when an SOS follows unless they report back. Empty if none runs. */
export function UserTimers({ id, name }: { readonly id: string; readonly name: string }) {
  const t = allTexts.value.users
  const { found, problem, again } = useRead<Items<Timer>>(`/users/${id}/timers`)
  const task = useTask()
  const [ending, askToEnd] = useState<Timer | null>(null)
  const running = found?.items.filter(({ status }) => status === 'running') ?? []
  if (running.length === 0 && problem === null) return null
  const change = (method: 'PATCH' | 'DELETE', timer: Timer, body?: object): void =>
    void task
      .run(() => call(method, `/users/${id}/timers/${timer.id}`, body))
      .then(() => {
        askToEnd(null)
        again()
      })
  // For a timer already due, an hour from now: a person who asks for more time is still out.
  const anHourLater = ({ dueAt }: Timer) => ({
    dueAt: new Date(Math.max(Date.parse(dueAt), now.value) + HOUR_MS).toISOString(),
  })
  return (
    <Panel title={t.timers}>
      <Problem text={problem ?? task.problem} />
      <Table
        label={t.timers}
        items={running}
        columns={[
          [t.timerDue, ({ dueAt }) => <Moment at={dueAt} />],
          [allTexts.value.timerNote, ({ note }) => note],
          [
            allTexts.value.actions,
            (timer) =>
              mayAct.value && (
                <div class="actions">
                  <button
                    type="button"
                    class="small"
                    disabled={task.busy}
                    onClick={() => change('PATCH', timer, anHourLater(timer))}
                  >
                    {t.extendTimer}
                  </button>
                  <button type="button" class="small" disabled={task.busy} onClick={() => askToEnd(timer)}>
                    {t.endTimer}
                  </button>
                </div>
              ),
          ],
        ]}
      />
      {ending !== null && (
        <Confirm
          title={t.endTimerAsk(name)}
          yes={t.endTimer}
          busy={task.busy}
          onNo={() => askToEnd(null)}
          onYes={() => change('DELETE', ending)}
        >
          <p>{t.endTimerMeans}</p>
        </Confirm>
      )}
    </Panel>
  )
}
