import { useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import type { SetupChange } from '../api/types.ts'
import { lookAtHealth } from '../state/health.ts'
import { allTexts } from '../state/language.ts'
import { BothProofs } from './both-proofs.tsx'
import { Confirm, Empty, Panel, Problem } from './controls.tsx'
import { moment } from './moment.tsx'
import type { SetupProps } from './setup-part.tsx'
import { Small } from './small.tsx'
import { useTask } from './task.ts'

/** The part of the setup that a change was made in. */
export function partOf(section: string): string {
  const t = allTexts.value.site
  const provider = section.replace(/^provider\//, '')
  return provider === section ? (t.sections[section] ?? section) : (t.messages.names[provider] ?? provider)
}

/** The changes of the last days, each with an undo as long as nothing of it has changed since. */
export function SetupChanges({ setup, onChanged }: SetupProps) {
  const t = allTexts.value.site
  const task = useTask()
  const [asking, ask] = useState<SetupChange | null>(null)
  const [undone, tell] = useState(false)
  const keysOf = ({ keys }: SetupChange) => setup.settings.filter(({ key }) => keys.includes(key))
  const done = (ok: boolean): void => {
    tell(ok)
    onChanged()
    lookAtHealth()
  }
  const undo = (change: SetupChange): void =>
    void task
      .run(() => send('/setup/undo', { change: change.id }))
      .then((ok) => {
        ask(null)
        done(ok)
      })
  const means = asking && (
    <p>
      {t.changes.means(asking.keys.map((key) => t.labels[key] ?? key).join(', '))}{' '}
      {keysOf(asking).some(({ secret }) => secret) && t.changes.restores}
    </p>
  )
  return (
    <Panel title={t.changes.title}>
      {setup.changes.length === 0 && <Empty>{t.changes.none}</Empty>}
      <ul class="providers">
        {setup.changes.map((change) => (
          <li key={change.id}>
            <div>
              <strong>{partOf(change.section)}</strong>
              <br />
              <small>{t.changes.made(change.author, moment(change.at))}</small>
            </div>
            {change.canUndo ? (
              <Small
                text={t.changes.undo}
                of={`${partOf(change.section)}, ${moment(change.at)}`}
                disabled={task.busy}
                onClick={() => {
                  tell(false)
                  ask(change)
                }}
              />
            ) : (
              <small>{t.changes.changedSince}</small>
            )}
          </li>
        ))}
      </ul>
      <Problem text={task.problem} />
      {undone && (
        <p class="good" role="status">
          ✓ {t.changes.undone}
        </p>
      )}
      {asking !== null &&
        (keysOf(asking).some(({ guarded }) => guarded) ? (
          <BothProofs
            title={t.changes.ask}
            yes={t.changes.undo}
            act={(proved) => proved('POST', '/setup/undo', { change: asking.id })}
            onEnd={(ok, error) => {
              ask(null)
              void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
              if (ok || error !== null) done(ok)
            }}
          >
            {means}
          </BothProofs>
        ) : (
          <Confirm
            title={t.changes.ask}
            yes={t.changes.undo}
            busy={task.busy}
            onYes={() => undo(asking)}
            onNo={() => ask(null)}
          >
            {means}
          </Confirm>
        ))}
    </Panel>
  )
}
