import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { language } from '../state/language.ts'
import { ownPushWords } from '../texts/own-push.ts'
import { Panel, Problem } from './controls.tsx'
import type { Pushing } from './push-browser.ts'
import { keepWanted, pushes, renewed } from './push-on-demand.ts'
import { useTask } from './task.ts'

type Pushes = Awaited<ReturnType<typeof pushes>>

/** An inability of the browser, or its owner's refusal, does not count. */
const isFault = ({ kind }: Pushing): boolean => kind === 'lost' || kind === 'unavailable'

/** Alarms by Web Push to this browser. */
export function OwnPush() {
  const t = ownPushWords[language.value]
  const task = useTask()
  const [state, set] = useState<Pushing | null>(null)
  const [names, choose] = useState(false)
  const [said, say] = useState<string | null>(null)
  const run = (work: (own: Pushes) => Promise<unknown>): void => {
    say(null)
    void task.run(async () =>
      work(await pushes()).catch((error) => {
        const why = error instanceof ApiError ? t.reasons[error.reason] : undefined
        if (why === undefined) throw error
        say(why)
      }),
    )
  }
  useEffect(() => {
    run(async (own) => {
      await renewed()
      set(await own.look())
    })
  }, [])
  const switchOn = async (own: Pushes): Promise<void> => {
    const now = await own.switchOn(names)
    set(now)
    if (now.kind === 'on') keepWanted(names)
  }
  const switchOff = async (own: Pushes): Promise<void> => {
    keepWanted(null)
    set(await own.switchOff())
  }
  const test = async (own: Pushes): Promise<void> => {
    const outcome = await own.test()
    if (outcome === 'gone') set({ kind: 'off' })
    say(outcome === 'sent' ? t.sent : outcome === 'gone' ? t.gone : t.failed)
  }
  return (
    <Panel title={t.title}>
      <p>{t.means}</p>
      <Problem text={task.problem} />
      {state?.kind === 'on' ? (
        <>
          <p class="good">
            ✓ {t.isOn} {state.wholeText && t.withNames}
          </p>
          {state.failure !== null && <p class="problem">{t.failed}</p>}
          <p class="quiet">{t.until}</p>
          <div class="actions">
            <button type="button" disabled={task.busy} onClick={() => run(test)}>
              {t.test}
            </button>
            <button type="button" disabled={task.busy} onClick={() => run(switchOff)}>
              {t.off}
            </button>
          </div>
        </>
      ) : (
        state !== null && (
          <>
            {state.kind !== 'off' && <p class={isFault(state) ? 'problem' : 'quiet'}>{t[state.kind]}</p>}
            {(state.kind === 'off' || state.kind === 'lost') && (
              <>
                <label class="check">
                  <input type="checkbox" checked={names} onChange={(event) => choose(event.currentTarget.checked)} />{' '}
                  <span>
                    {t.names}
                    <br />
                    <small class="quiet">{t.namesMean}</small>
                  </span>
                </label>
                <button type="button" disabled={task.busy} onClick={() => run(switchOn)}>
                  {t.on}
                </button>
                <p class="quiet">
                  {t.asks} {t.until}
                </p>
              </>
            )}
            {state.kind === 'impossible' && <p class="quiet">{t.install}</p>}
          </>
        )
      )}
      {said !== null && <p role="status">{said}</p>}
    </Panel>
  )
}
