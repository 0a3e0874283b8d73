import { useState } from 'preact/hooks'
import type { Item, Shift } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { ofOwner } from '../logic/shift.ts'
import { texts } from '../state/language.ts'
import { mayAct, me } from '../state/session.ts'
import { confirmNote, leaveNote, offerAll, shift } from '../state/shift.ts'
import { Confirm, Form, Problem, Select } from './controls.tsx'
import { moment } from './moment.tsx'
import { useTask } from './task.ts'

const myId = (): string | null => me.value?.id ?? null

/** The operators on shift, and the notes of the previous shift. */
export function ShiftPanel({ items }: { readonly items: readonly Item[] }) {
  const t = texts.value.shift
  if (shift.value === null) return null
  const { onShift, notes, onCall } = shift.value
  return (
    <section class="shift" aria-label={t.title}>
      {notes.map((note) => (
        <Note key={`${note.by.operatorId}${note.at}`} note={note} />
      ))}
      <div class="on-shift">
        <p>
          {texts.value.labelled(
            t.onShift,
            onShift.length === 0
              ? t.nobody
              : onShift
                  .map(({ operatorId, name }) =>
                    operatorId === myId() ? t.you(readable(name) ?? name) : (readable(name) ?? name),
                  )
                  .join(', '),
          )}
        </p>
        {onCall !== undefined && (
          <p>
            {texts.value.labelled(
              texts.value.views.onCall,
              onCall.name === null ? t.nobody : (readable(onCall.name) ?? onCall.name),
            )}
          </p>
        )}
        {mayAct.value && <HandOver items={items} onShift={onShift} />}
        {mayAct.value && <NewNote />}
      </div>
    </section>
  )
}

function Note({ note: { by, at, text } }: { readonly note: Shift['notes'][number] }) {
  const t = texts.value.shift
  const task = useTask()
  return (
    <div class="shift-note">
      <p>{text}</p>
      <small class="quiet">{t.noteBy(readable(by.name) ?? by.name, moment(at))}</small>
      {mayAct.value && (
        <button
          type="button"
          class="small"
          disabled={task.busy}
          onClick={() => void task.run(() => confirmNote(by.operatorId, at))}
        >
          {by.operatorId === myId() ? t.takeBack : t.confirm}
        </button>
      )}
      <Problem text={task.problem} />
    </div>
  )
}

function HandOver({ items, onShift }: { readonly items: readonly Item[]; readonly onShift: Shift['onShift'] }) {
  const t = texts.value.shift
  const task = useTask()
  const [to, choose] = useState<string | null>(null)
  const mine = ofOwner(items, 'mine', myId()).length
  const others = onShift.filter(({ operatorId }) => operatorId !== myId())
  const [first] = others
  if (mine === 0) return null
  if (first === undefined) return <p class="quiet">{t.nobodyElse}</p>
  return (
    <>
      <button type="button" class="small" onClick={() => choose(first.operatorId)}>
        {t.handOver(mine)}
      </button>
      <Problem text={to === null ? task.problem : null} />
      {to !== null && (
        <Confirm
          title={t.handOver(mine)}
          yes={t.offer}
          busy={task.busy}
          onYes={() => void task.run(() => offerAll(to)).then(() => choose(null))}
          onNo={() => choose(null)}
        >
          <Select
            label={t.to}
            value={to}
            options={others.map(({ operatorId, name }) => [operatorId, readable(name) ?? name])}
            onPick={choose}
          />
          <p>{t.offerMeans}</p>
        </Confirm>
      )}
    </>
  )
}

function NewNote() {
  const t = texts.value.shift
  const task = useTask()
  const [text, type] = useState('')
  const keep = (): void => void task.run(() => leaveNote(text)).then((done) => done && type(''))
  return (
    <details class="new-note">
      <summary>{t.note}</summary>
      <Form onSend={keep}>
        <label class="field">
          <span>{t.noteMeans}</span>
          <textarea rows={2} maxLength={1000} value={text} onInput={(event) => type(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={task.busy || text.trim() === ''}>
          {t.leave}
        </button>
        <Problem text={task.problem} />
      </Form>
    </details>
  )
}
