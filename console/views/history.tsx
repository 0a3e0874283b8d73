import { useState } from 'preact/hooks'
import { AlarmList } from '../parts/alarm-list.tsx'
import { Field, Form, Select } from '../parts/controls.tsx'
import { texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'

const none = { text: '', state: 'all', from: '', to: '', drills: false }

/** The filters as a query; days are whole ones of this screen's time zone. */
function queryOf({ text, state, from, to, drills }: typeof none): string {
  const query = new URLSearchParams({ state, limit: '50', ...(drills && { drills: 'true' }) })
  if (text.trim() !== '') query.set('text', text.trim())
  if (from !== '') query.set('from', new Date(`${from}T00:00`).toISOString())
  if (to !== '') query.set('to', new Date(`${to}T23:59:59.999`).toISOString())
  return query.toString()
}

/** All incidents, closed and open, newest first. */
export function History() {
  const t = texts.value
  const [given, set] = useState(none)
  const [asked, ask] = useState(none)
  const period = new URLSearchParams(
    [...new URLSearchParams(queryOf(asked))].filter(([key]) => key === 'from' || key === 'to'),
  )
  return (
    <main>
      <h1>{t.views.history}</h1>
      <Form class="filters" onSend={() => ask(given)}>
        <Field
          label={t.history.text}
          type="search"
          data-key="search"
          value={given.text}
          onInput={(event) => set({ ...given, text: event.currentTarget.value })}
        />
        <Select
          label={t.history.state}
          value={given.state}
          options={Object.entries(t.history.states)}
          onPick={(state) => set({ ...given, state })}
        />
        <Field
          label={t.history.from}
          type="date"
          value={given.from}
          onInput={(event) => set({ ...given, from: event.currentTarget.value })}
        />
        <Field
          label={t.history.to}
          type="date"
          value={given.to}
          onInput={(event) => set({ ...given, to: event.currentTarget.value })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={given.drills}
            onChange={(event) => set({ ...given, drills: event.currentTarget.checked })}
          />{' '}
          {t.drills.only}
        </label>
        <button type="submit" class="main">
          {t.search}
        </button>
      </Form>
      {mayAct.value && (
        <p class="exports">
          <a href={`/v1/operator/incidents.csv?${period}`} download>
            {t.history.csv}
          </a>
        </p>
      )}
      <AlarmList query={queryOf(asked)} label={t.views.history} />
    </main>
  )
}
