import { useId, useState } from 'preact/hooks'
import { Form, Panel, Problem } from '../../console/parts/blocks.tsx'
import type { Said, SosMessage, SosTalk } from '../../sdk/src/index.ts'
import { readersLine, sourceOf } from '../logic/talk-words.ts'
import { language, texts } from '../state/language.ts'
import { chosen, draft, isWriting, lookWhoReads, MAX_SENDING, notSent, say, sending, talk } from '../state/talk.ts'
import { shortTime } from '../state/times.ts'

/** The rest behind a tap: the end of the alarm must not move out of reach. */
const NEWEST = 3

/** Messages between the person and helpers while the alarm is open. rules.md#talk. */
export function Talk() {
  const t = texts.value.talk
  const found = talk.value
  const [showsAll, showAll] = useState(false)
  if (found === null || (!found.mayWrite && found.items.length === 0)) return null
  const items = showsAll ? found.items : found.items.slice(-NEWEST)
  const earlier = found.items.length - items.length
  return (
    <Panel title={t.title} class="talk">
      {earlier > 0 && (
        <button type="button" class="link" onClick={() => showAll(true)}>
          {t.earlier(earlier)}
        </button>
      )}
      <ol class="lines" aria-live="polite">
        {items.map((line) => (
          <Line key={line.n} line={line} found={found} />
        ))}
      </ol>
      {sending.value.length > 0 && (
        <ul class="lines" aria-live="polite">
          {sending.value.map(({ key, said }) => (
            <li key={key} class="own">
              <p dir="auto">{wordsOf(said, found)}</p>
              <small class="unsure">{t.sending}</small>
            </li>
          ))}
        </ul>
      )}
      {found.mayWrite && (isWriting.value ? <Write found={found} /> : <Begin />)}
    </Panel>
  )
}

/** A quick reply in the language of this screen. */
function wordsOf(said: Said, { quickReplies }: SosTalk): string {
  if ('text' in said) return said.text
  return quickReplies.find(({ id }) => id === said.quickReply)?.texts[language.value] ?? ''
}

function Line({ line, found }: { readonly line: SosMessage; readonly found: SosTalk }) {
  const t = texts.value.talk
  const { from, text, quickReply, to, unconfirmed, at } = line
  const shown = quickReply === null ? text : wordsOf({ quickReply }, found) || text
  return (
    <li class={from.kind === 'person' ? 'own' : undefined}>
      <p dir="auto">{shown}</p>
      {unconfirmed && <p class="unsure">{t.unconfirmed}</p>}
      <small>
        <bdi>{sourceOf(line, t)}</bdi>, {shortTime(at)}
        {to === 'desk' && ` · ${t.deskOnly}`}
      </small>
    </li>
  )
}

const Begin = () => (
  <button
    type="button"
    onClick={() => {
      isWriting.value = true
      void lookWhoReads()
    }}
  >
    {texts.value.talk.begin}
  </button>
)

function Write({ found }: { readonly found: SosTalk }) {
  const t = texts.value.talk
  const id = useId()
  const to = chosen.value ?? found.to
  const isFull = sending.value.length >= MAX_SENDING
  const isOnItsWay = (reply: string): boolean =>
    sending.value.some(({ said }) => 'quickReply' in said && said.quickReply === reply)
  const text = draft.value.trim()
  const send = (): void => {
    if (text === '' || isFull) return
    draft.value = ''
    void say({ text }, to)
  }
  const { value: problem } = notSent
  const why = problem && (problem.minutes === null ? t.notSent : t.tooMany(problem.minutes))
  return (
    <Form onSend={send}>
      <label class="tick">
        <input
          type="checkbox"
          checked={to === 'desk'}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.checked ? 'desk' : 'all'
          }}
        />
        <span>{t.onlyDesk}</span>
      </label>
      <p id={id} class="readers" aria-live="polite">
        {readersLine(found, to, t)}
      </p>
      <div class="replies">
        {found.quickReplies.map((reply) => (
          <button
            key={reply.id}
            type="button"
            aria-describedby={id}
            disabled={isFull || isOnItsWay(reply.id)}
            onClick={() => void say({ quickReply: reply.id }, to)}
          >
            {reply.texts[language.value]}
          </button>
        ))}
      </div>
      <label class="field">
        <span>{t.write}</span>
        <textarea
          rows={2}
          maxLength={500}
          aria-describedby={id}
          value={draft.value}
          onFocus={() => void lookWhoReads()}
          onInput={({ currentTarget }) => {
            draft.value = currentTarget.value
          }}
        />
      </label>
      <Problem text={why} />
      <button type="submit" class="main" disabled={text === '' || isFull}>
        {t.send}
      </button>
    </Form>
  )
}
