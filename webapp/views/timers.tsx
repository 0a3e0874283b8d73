import { useState } from 'preact/hooks'
import { Empty, Field, Form, Panel, Problem } from '../../console/parts/blocks.tsx'
import type { Timer } from '../../sdk/src/index.ts'
import { nextAt } from '../logic/due.ts'
import { useLoaded } from '../parts/loaded.ts'
import { useTask } from '../parts/task.ts'
import { locate } from '../state/device.ts'
import { texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'
import { shortTime } from '../state/times.ts'

const MORE_MS = 30 * 60_000
/** A position is welcome, but nobody waits for it. */
const PATIENCE_MS = 4_000

const iso = (moment: number): string => new Date(moment).toISOString()

function Running({ timer, onChange }: { readonly timer: Timer; readonly onChange: () => Promise<void> }) {
  const t = texts.value.timers
  const { busy, problem, run } = useTask()
  const changes = (work: () => Promise<unknown>) =>
    void run(
      async () => {
        await work()
        await onChange()
      },
      ({ status }) => (status === 409 ? t.raised : null),
    )
  return (
    <li>
      <p>
        <strong>{t.by(shortTime(timer.dueAt))}</strong>
        {timer.note !== null && (
          <>
            <br />
            {timer.note}
          </>
        )}
      </p>
      <div class="actions">
        <button type="button" class="main" disabled={busy} onClick={() => changes(() => sdk().timers.end(timer.id))}>
          {t.back}
        </button>
        <button
          type="button"
          disabled={busy}
          onClick={() => changes(() => sdk().timers.extend(timer.id, iso(Date.parse(timer.dueAt) + MORE_MS)))}
        >
          {t.more}
        </button>
      </div>
      <Problem text={problem} />
    </li>
  )
}

/** "I'll be back by 18:00." */
export function Timers() {
  const t = texts.value.timers
  const { value, failed, again } = useLoaded(() => sdk().timers.list())
  const [time, setTime] = useState('')
  const [note, setNote] = useState('')
  const { busy, problem, run, setProblem } = useTask()
  const running = value?.filter(({ status }) => status === 'running')
  const due = nextAt(time, Date.now())
  const set = () => {
    if (due === null) return setProblem(t.bad)
    void run(
      async () => {
        const waited = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE_MS))
        const position = await Promise.race([locate(true), waited])
        await sdk().timers.set({
          dueAt: iso(due),
          ...(note.trim() !== '' && { note: note.trim() }),
          ...(position !== null && {
            position: { latitude: position.latitude, longitude: position.longitude },
          }),
        })
        setTime('')
        setNote('')
        await again()
      },
      ({ status }) => (status === 409 ? t.limit : status === 400 ? t.bad : null),
    )
  }
  return (
    <>
      <Panel title={t.title}>
        <p class="quiet">{t.what}</p>
        <Form onSend={set}>
          <Field
            label={t.at}
            type="time"
            value={time}
            required
            hint={due === null ? undefined : t.by(shortTime(due))}
            onInput={(event) => setTime(event.currentTarget.value)}
          />
          <Field
            label={t.note}
            value={note}
            maxLength={500}
            hint={t.noteHint}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
          <Problem text={problem} />
          <button type="submit" class="main" disabled={busy}>
            {t.set}
          </button>
        </Form>
      </Panel>
      {failed && <Problem text={texts.value.line.none} />}
      {running !== undefined && running.length === 0 && <Empty>{t.none}</Empty>}
      <ul class="list">
        {running?.map((timer) => (
          <Running key={timer.id} timer={timer} onChange={again} />
        ))}
      </ul>
    </>
  )
}
