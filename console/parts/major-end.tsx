import { useRef, useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import type { Case, Item } from '../api/types.ts'
import { endsOf, type ListedEnd } from '../logic/major.ts'
import { readable } from '../logic/plain-text.ts'
import { learn } from '../state/board.ts'
import { language, texts } from '../state/language.ts'
import { me } from '../state/session.ts'
import { majorWords } from '../texts/major.ts'
import { Field, useModal } from './controls.tsx'
import { hour } from './moment.tsx'
import { problemOf } from './task.ts'
import { personOf } from './urgency.tsx'

type Props = { readonly id: string; readonly items: readonly Item[]; readonly onDone: () => void }

/**
 * Ends the alarms of people counted as safe or handed over. They are listed by name first, and the list does not grow
 * while somebody reads it. Each end carries the list's entry, and the service refuses it if that has changed.
 */
export function MajorEnd({ id, items, onDone }: Props) {
  const words = majorWords[language.value]
  const t = texts.value
  const dialog = useModal()
  const [{ mine, others }] = useState(() => endsOf(items, me.value?.id ?? null))
  const [note, type] = useState('')
  const [results, tell] = useState<ReadonlyMap<string, string | null>>(new Map())
  const [busy, work] = useState(false)
  /** Closing the question stops further ends. */
  const isClosed = useRef(false)
  const close = (): void => {
    isClosed.current = true
    onDone()
  }
  const left = mine.filter(({ item }) => results.get(item.incidentId) !== null)
  const isDone = results.size > 0 && !busy
  const end = async ({ item: { incidentId }, presses, outcome }: ListedEnd): Promise<string | null> => {
    const body = { major: id, presses, outcome, ...(note.trim() !== '' && { note: note.trim() }) }
    return send<Case>(`/incidents/${incidentId}/major/resolve`, body).then(
      ({ incident }) => {
        learn(incident)
        return null
      },
      (error) => words.changed[error.reason] ?? problemOf(error),
    )
  }
  const run = async (): Promise<void> => {
    work(true)
    for (const one of left) {
      if (isClosed.current) return
      const said = await end(one)
      tell((before) => new Map(before).set(one.item.incidentId, said))
    }
    work(false)
  }
  return (
    <dialog ref={dialog} class="major-end" aria-labelledby="major-end" onClose={close}>
      <h2 id="major-end">{words.endTitle}</h2>
      {mine.length === 0 && <p>{words.endNobody}</p>}
      <ul class="ends" aria-live="polite">
        {mine.map(({ item, outcome }) => {
          const head = item.major!.head!
          const said = results.get(item.incidentId)
          return (
            <li key={item.incidentId}>
              <strong>{personOf(item)}</strong>
              <span>
                {t.outcomes[outcome]}{' '}
                <small class="quiet">{words.countedBy(readable(head.name) ?? head.name, hour(head.at))}</small>
              </span>
              {said === null && <span class="good">✓ {words.isEnded}</span>}
              {typeof said === 'string' && (
                <span class="problem">
                  <strong>{words.notEnded}</strong> {said}
                </span>
              )}
            </li>
          )
        })}
      </ul>
      {others.length > 0 && (
        <>
          <p>{words.endOthers}</p>
          <ul>
            {others.map((item) => (
              <li key={item.incidentId}>
                {personOf(item)} ({words.withOperator(readable(item.takenBy?.name ?? null) ?? t.somebody)})
              </li>
            ))}
          </ul>
        </>
      )}
      {mine.length > 0 && !isDone && (
        <>
          <p>{words.endMeans}</p>
          <Field
            label={words.endNote}
            maxLength={500}
            value={note}
            onInput={(event) => type(event.currentTarget.value)}
          />
        </>
      )}
      <div class="actions">
        {mine.length > 0 && !isDone && (
          <button type="button" class="main" disabled={busy} onClick={() => void run()}>
            {busy ? words.doneOf(results.size, mine.length) : words.doEnd(mine.length)}
          </button>
        )}
        <button type="button" onClick={close}>
          {isDone || mine.length === 0 ? words.close : t.cancel}
        </button>
      </div>
    </dialog>
  )
}
