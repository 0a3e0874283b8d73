import { useEffect, useState } from 'preact/hooks'
import type { Case } from '../api/types.ts'
import { fieldWith } from '../logic/written.ts'
import { texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { refused, takeRefused, write, written } from '../state/written.ts'
import { Form, Panel, Problem } from './controls.tsx'
import { moment } from './moment.tsx'
import { problemOf, useTask } from './task.ts'

/** Notes of operators; those written without a connection wait here. */
export function Notes({ found, onTook }: { readonly found: Case; readonly onTook: (found: Case) => void }) {
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
