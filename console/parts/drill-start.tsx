import { useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import type { DrillsEnded, DrillsStarted } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { allTexts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { Confirm, Problem } from './controls.tsx'
import { useTask } from './task.ts'

/** The users of an exercise: one user by external id, or everyone in the application. */
export type Whom = {
  readonly applicationId: string
  readonly name: string
  readonly user: { readonly externalUserId: string; readonly contacts: readonly string[] } | null
}

/** Starts and ends exercises; before that it names those who will be notified. */
export function DrillStart({ whom, onChanged }: { readonly whom: Whom; readonly onChanged: () => void }) {
  const t = allTexts.value.drills
  const task = useTask()
  const [asking, ask] = useState<'start' | 'end' | null>(null)
  const [toContacts, choose] = useState(false)
  const [said, say] = useState<readonly string[]>([])
  const { applicationId: app, user, name } = whom
  const given = { app, ...(user !== null && { user: user.externalUserId }) }
  const done = (lines: readonly string[]): void => {
    say(lines)
    onChanged()
  }
  const start = async (): Promise<void> => {
    const { started, passedOver } = await send<DrillsStarted>('/drills', { ...given, contacts: toContacts })
    done([
      ...(started.length === 0 ? [] : [t.started(started.length)]),
      ...passedOver.map(({ externalUserId, reason }) => t.notStarted(externalUserId, t.passedOver[reason])),
    ])
  }
  const end = async (): Promise<void> => done([t.ended((await send<DrillsEnded>('/drills/end', given)).ended.length)])
  const run = (work: () => Promise<void>) => () => {
    say([])
    void task.run(work).then(() => ask(null))
  }
  if (!mayAct.value) return null
  return (
    <>
      <div class="actions">
        <button
          type="button"
          disabled={task.busy}
          onClick={() => {
            // Never remembered: phones ring only if chosen this time.
            choose(false)
            ask('start')
          }}
        >
          {t.start}
        </button>
        <button type="button" disabled={task.busy} onClick={() => ask('end')}>
          {t.endOpen}
        </button>
      </div>
      <Problem text={task.problem} />
      <div role="status">
        {said.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
      {asking === 'start' && (
        <Confirm
          title={user === null ? t.startAskAll(name) : t.startAsk(name)}
          yes={t.start}
          busy={task.busy}
          onYes={run(start)}
          onNo={() => ask(null)}
        >
          {user === null && <p>{t.everyone}</p>}
          {user !== null && user.contacts.length === 0 && <p class="bad-words">{t.noContacts}</p>}
          <label class="check">
            <input
              type="checkbox"
              disabled={user?.contacts.length === 0}
              checked={toContacts}
              onChange={(event) => choose(event.currentTarget.checked)}
            />{' '}
            {t.toContacts}
          </label>
          <p role="status" class={toContacts ? 'bad-words' : ''}>
            {toContacts ? (user === null ? t.phonesRingAll : t.phonesRing(namesOf(user.contacts))) : t.toOutbox}
          </p>
          <p>{t.realWins}</p>
        </Confirm>
      )}
      {asking === 'end' && (
        <Confirm title={t.endOpenAsk(name)} yes={t.endOpen} busy={task.busy} onYes={run(end)} onNo={() => ask(null)}>
          <p>{t.endMeans}</p>
        </Confirm>
      )}
    </>
  )
}

const namesOf = (names: readonly string[]): string =>
  names.map((name) => readable(name) ?? allTexts.value.somebody).join(', ')
