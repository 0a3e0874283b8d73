import { useState } from 'preact/hooks'
import type { Item, Shift } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { hiddenUrgent, ofOwner, owners } from '../logic/shift.ts'
import { texts } from '../state/language.ts'
import { mayAct, me } from '../state/session.ts'
import { confirmNote, leaveNote, offerAll, owner, shift } from '../state/shift.ts'
import { Confirm, Form, Problem, Select } from './controls.tsx'
import { moment } from './moment.tsx'
import { useTask } from './task.ts'

const myId = (): string | null => me.value?.id ?? null

/** The filter of the board by operator, with the number of alarms of each. It always mentions hidden alarms. */
export function OwnerFilter({ items, shown }: { readonly items: readonly Item[]; readonly shown: readonly Item[] }) {
  const t = texts.value.shift
  const hidden = hiddenUrgent(items, shown)
  if (!mayAct.value || (items.length === 0 && owner.value === 'all')) return null
  return (
    <div class="owners">
      {owners.map((name) => (
        <button
          key={name}
          type="button"
          class="small"
          aria-pressed={owner.value === name}
          onClick={() => {
            owner.value = name
          }}
        >
          {t.owners[name]} <span class="count">{ofOwner(items, name, myId()).length}</span>
        </button>
      ))}
      {hidden > 0 && (
        <strong class="hides" role="status">
          {t.hidden(hidden)}
        </strong>
      )}
    </div>
  )
}

/** The operators on shift, and the notes of the previous shift. */
export function ShiftPanel({ items }: { readonly items: readonly Item[] }) {
  const t = texts.value.shift
  if (shift.value === null) return null
  const { onShift, notes } = shift.value
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
