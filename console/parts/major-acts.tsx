import { useRef, useState } from 'preact/hooks'
import { ApiError, send } from '../api/client.ts'
import type { Case, Item } from '../api/types.ts'
import { newKey } from '../logic/new-key.ts'
import { readable } from '../logic/plain-text.ts'
import { learn, open } from '../state/board.ts'
import { language, texts } from '../state/language.ts'
import { notePart } from '../state/majors.ts'
import { shift } from '../state/shift.ts'
import { majorWords } from '../texts/major.ts'
import { Field, Form, Problem, useModal } from './controls.tsx'
import { problemOf } from './task.ts'
import { newsText, personOf } from './urgency.tsx'

/** Operators' acts on several alarms. None of them stops one. */
export type Act = 'assign' | 'note' | 'message' | 'seen' | 'takeOut'

type Props = {
  readonly id: string
  readonly act: Act
  /** As they were chosen. */
  readonly items: readonly Item[]
  /** Alarms for which it failed stay chosen. */
  readonly onChoose: (left: ReadonlySet<string>) => void
  readonly onDone: () => void
}

const whyNot = (error: unknown, { changed }: (typeof majorWords)['en']): string =>
  (error instanceof ApiError && changed[error.reason]) || problemOf(error)

/** Asks what to write, names everybody whom it is for, and does it for one after the other. */
export function MajorAct({ id, act, items: given, onChoose, onDone }: Props) {
  const t = texts.value
  const words = majorWords[language.value]
  const dialog = useModal()
  // The recipients do not change while somebody writes.
  const [items, keep] = useState(given)
  const [text, type] = useState('')
  const [toDesk, onlyPersons] = useState(false)
  const [done, count] = useState<number | null>(null)
  const [failed, fail] = useState<readonly (readonly [Item, unknown])[]>([])
  /** Kept while it is unknown whether a text has arrived: sent again, it is one. */
  const keys = useRef(new Map<string, string>())
  /** Closing the question stops further acts. */
  const isClosed = useRef(false)
  const close = (): void => {
    isClosed.current = true
    onDone()
  }
  const keyOf = ({ incidentId }: Item): string => {
    const key = keys.current.get(incidentId) ?? newKey()
    keys.current.set(incidentId, key)
    return key
  }
  const one = async (item: Item): Promise<void> => {
    const path = `/incidents/${item.incidentId}`
    switch (act) {
      case 'assign':
        return notePart(item, { id, assignedTo: text.trim() === '' ? null : text.trim() })
      case 'note':
        return learn((await send<Case>(`${path}/notes`, { id: keyOf(item), text })).incident)
      case 'message': {
        const body = { id: keyOf(item), text, ...(toDesk && { to: 'desk' }) }
        return learn((await send<Case>(`${path}/messages`, body)).incident)
      }
      case 'seen': {
        // A press is checked by the service, which does not know what else the screen showed.
        const news = open.peek().find(({ incidentId }) => incidentId === item.incidentId)
        if (news && newsText(news) !== null && news.news?.at !== item.news?.at) {
          throw new ApiError(400, { message: newsText(news) })
        }
        return learn((await send<Case>(`${path}/seen?presses=${item.presses}`)).incident)
      }
      case 'takeOut':
        return notePart(item, { id: null, from: id })
      default:
        return act satisfies never
    }
  }
  const run = async (): Promise<void> => {
    const left: (readonly [Item, unknown])[] = []
    fail([])
    for (const [n, item] of items.entries()) {
      if (isClosed.current) return
      count(n)
      await one(item).catch((error) => void left.push([item, error]))
    }
    count(null)
    onChoose(new Set(left.map(([{ incidentId }]) => incidentId)))
    if (left.length === 0) return onDone()
    fail(left)
    keep(left.map(([item]) => item))
  }
  const changeText = (next: string): void => {
    // Another text is another message.
    keys.current.clear()
    type(next)
  }
  const silent = items.filter((item) => item.silent).length
  const teams = new Set([
    ...given.flatMap(({ major }) => readable(major?.assignedTo ?? null) ?? []),
    ...(shift.value?.onShift ?? []).map(({ name }) => readable(name) ?? name),
  ])
  const yes = {
    assign: words.doAssign,
    note: words.doNote,
    message: words.doMessage,
    seen: () => words.seen,
    takeOut: () => words.takeOut,
  }[act]
  const isEmpty = (act === 'note' || act === 'message') && text.trim() === ''
  return (
    <dialog ref={dialog} class="major-act" aria-labelledby="major-act" onClose={close}>
      <h2 id="major-act">{words[act]}</h2>
      <p>{items.map(personOf).join(', ')}</p>
      <Form onSend={() => void run()}>
        {act === 'assign' && (
          <>
            <Field
              label={words.assignTo}
              hint={words.assignHint}
              maxLength={100}
              list="major-teams"
              value={text}
              onInput={(event) => changeText(event.currentTarget.value)}
            />
            <datalist id="major-teams">
              {[...teams].map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
        {(act === 'note' || act === 'message') && (
          <Field
            label={act === 'note' ? words.noteText : words.messageText}
            rows={3}
            maxLength={act === 'note' ? 2000 : 500}
            value={text}
            readOnly={done !== null}
            onInput={(event) => changeText(event.currentTarget.value)}
          />
        )}
        {act === 'message' && (
          <label class="check">
            <input type="checkbox" checked={toDesk} onChange={(event) => onlyPersons(event.currentTarget.checked)} />
            {words.onlyPersons}
          </label>
        )}
        {act === 'message' && silent > 0 && <p class="hint">{words.messageSilent(silent)}</p>}
        <div class="actions">
          <button type="submit" class="main" disabled={done !== null || isEmpty}>
            {done === null ? yes(items.length) : words.doneOf(done, items.length)}
          </button>
          <button type="button" onClick={close}>
            {t.cancel}
          </button>
        </div>
      </Form>
      {failed.length > 0 && (
        <div role="alert">
          <p class="problem">
            <strong>{words.failed(failed.map(([item]) => personOf(item)).join(', '))}</strong>
          </p>
          <Problem text={[...new Set(failed.map(([, error]) => whyNot(error, words)))].join(' ')} />
        </div>
      )}
    </dialog>
  )
}
