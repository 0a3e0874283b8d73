import { useRef, useState } from 'preact/hooks'
import { lineText } from '../../src/core/text/quick-replies.ts'
import { isLost, send } from '../api/client.ts'
import type { Case } from '../api/types.ts'
import { newKey } from '../logic/new-key.ts'
import { readable } from '../logic/plain-text.ts'
import { language, texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { Form, Panel, Problem, Select } from './controls.tsx'
import { moment } from './moment.tsx'
import { useTask } from './task.ts'

type Line = Case['talk']['items'][number]

/** Messages between person, contacts and operators. rules.md#talk. */
export function Talk({ found, onTook }: { readonly found: Case; readonly onTook: (found: Case) => void }) {
  const t = texts.value.talk
  const { items, mayWrite, sms } = found.talk
  if (items.length === 0 && !mayWrite) return null
  return (
    <Panel title={t.title}>
      <ol class="notes talk" aria-live="polite">
        {items.map((line) => (
          <li key={line.n}>
            <p dir="auto">{lineText(line, language.value)}</p>
            {line.unconfirmed && <strong class="doubt">{t.unconfirmed}</strong>}
            <small class="quiet">
              {sourceOf(line)}, {moment(line.at)}
              {line.to === 'desk' && ` · ${t.deskOnly}`}
              {line.from.kind !== 'person' && <BySms n={line.n} sms={sms} />}
            </small>
          </li>
        ))}
      </ol>
      {mayWrite && mayAct.value && <Write found={found} onTook={onTook} />}
    </Panel>
  )
}

/** How a message goes by SMS to a person who alarmed so; in the app it is at once. */
function BySms({ n, sms }: { readonly n: number; readonly sms: Case['talk']['sms'] }) {
  const { ways } = texts.value.talk
  const found = sms?.lines.find((line) => line.n === n)
  if (found === undefined) return null
  const { way, until } = found
  if (way === 'waits') return <> · {until === undefined ? ways.queued : ways.waits(moment(until))}</>
  const isLost = way === 'failed' || way === 'stopped'
  return <> · {isLost ? <strong>{ways[way]}</strong> : ways[way]}</>
}

/** The owner of the phone, page or account, not necessarily the writer. */
function sourceOf({ from: { kind, name, phone, channel } }: Line): string {
  const t = texts.value.talk
  const who = readable(name) ?? texts.value.somebody
  return [kind === 'person' ? t.fromPhone(who) : who, phone, channel === 'sms' ? t.bySms : null]
    .filter((part) => part !== null)
    .join(', ')
}

function Write({ found, onTook }: { readonly found: Case; readonly onTook: (found: Case) => void }) {
  const t = texts.value.talk
  const task = useTask()
  const [text, type] = useState('')
  const [to, choose] = useState<Line['to'] | null>(null)
  /** Kept while it is unknown whether the message has arrived: sent again, it is one. */
  const key = useRef<string | null>(null)
  const { incident, talk } = found
  const chosen = to ?? talk.to
  const names = talk.readers.map(({ name, now }) => {
    const shown = readable(name) ?? texts.value.somebody
    return now ? shown : t.onceHelping(shown)
  })
  const say = (): void =>
    void task.run(async () => {
      key.current ??= newKey()
      try {
        const body = { id: key.current, text, to: chosen }
        onTook(await send<Case>(`/incidents/${incident.incidentId}/messages`, body))
      } catch (error) {
        if (!isLost(error)) key.current = null
        throw error
      }
      key.current = null
      type('')
    })
  return (
    <Form onSend={say}>
      <label class="field">
        <span>{t.write}</span>
        <textarea
          rows={2}
          maxLength={500}
          value={text}
          readOnly={task.busy}
          onInput={(event) => {
            // Another text is another message.
            key.current = null
            type(event.currentTarget.value)
          }}
        />
      </label>
      <Select
        label={t.to}
        value={chosen}
        options={[
          ['all', t.toAll],
          ['desk', t.toPerson],
        ]}
        onPick={(value) => choose(value as Line['to'])}
      />
      <p class="quiet">
        {chosen === 'desk' || names.length === 0 ? t.noContactReads : t.contactsRead(names.join(', '))}
        {` ${talk.sms === null || incident.silent ? t.inApp : t.bySmsToo(talk.sms.phone)}`}
        {incident.silent && ` ${t.silent}`}
      </p>
      <button type="submit" disabled={task.busy || text.trim() === ''}>
        {t.send}
      </button>
      <Problem text={task.problem} />
    </Form>
  )
}
