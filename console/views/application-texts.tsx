import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { Application, OwnText, Preview } from '../api/types.ts'
import { Form, languageNames, Panel, Problem, Select } from '../parts/controls.tsx'
import { useRead } from '../parts/listing.tsx'
import { useOneSave } from '../parts/one-save.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'

const PREVIEW_AFTER_MS = 400

/** A text is named by its own first words: nobody has to know what the service calls it. */
const shortOf = (text: string): string => (text.length <= 64 ? text : `${text.slice(0, 63).trimEnd()}…`)

/** The texts that people get, with a preview and the number of SMS while they are written. */
export function Texts({ application }: { readonly application: Application }) {
  const t = allTexts.value.settings
  const path = `/applications/${application.applicationId}/texts`
  const [language, pick] = useState(application.language)
  const { found, problem, again } = useRead<{ readonly items: readonly OwnText[] }>(`${path}?language=${language}`)
  const [key, pickKey] = useState('')
  const [written, write] = useState<string | null>(null)
  const [preview, show] = useState<Preview | null>(null)
  const task = useTask()
  const items = (found?.items ?? []).filter((item) => item.language === language)
  const item = items.find((one) => one.key === key) ?? items[0]
  const text = written ?? item?.text ?? ''
  useEffect(() => {
    if (item === undefined || !mayAdminister.value) return
    const timer = setTimeout(() => {
      call<Preview>('POST', `${path}/preview`, { key: item.key, text }).then(show, () => show(null))
    }, PREVIEW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [item?.key, text])
  const save = (saved: string | null): Promise<void> =>
    task
      .run(() => call('PUT', path, { language, key: item?.key, text: saved }))
      .then((done) => {
        if (done) write(null)
        again()
      })
  useOneSave(t.texts, written !== null, () => save(text))
  return (
    <Panel title={t.texts}>
      <Problem text={problem} />
      <Select
        label={allTexts.value.language}
        value={language}
        options={languageNames(language)}
        onPick={(code) => {
          pick(code)
          write(null)
        }}
      />
      {item !== undefined && (
        <Form onSend={() => void save(text)}>
          <Select
            label={t.whichText}
            value={item.key}
            options={items.map((one) => [one.key, `${one.own ? '✎ ' : ''}${shortOf(one.text)}`])}
            onPick={(picked) => {
              pickKey(picked)
              write(null)
            }}
          />
          <label class="field">
            <span>{t.text(item.placeholders.map((name) => `{${name}}`).join(' '))}</span>
            <textarea
              rows={4}
              maxLength={1000}
              readOnly={!mayAdminister.value}
              value={text}
              onInput={(event) => write(event.currentTarget.value)}
            />
          </label>
          {preview !== null && (
            <div class="preview">
              <p>{preview.text}</p>
              <small class={preview.warnings.length > 0 ? 'warn' : undefined}>
                {t.segments(preview.segments)}
                {preview.encoding === 'UCS-2' && ` · ${t.notGsm}`}
              </small>
            </div>
          )}
          {mayAdminister.value && item.own && (
            <button type="button" disabled={task.busy} onClick={() => void save(null)}>
              {t.builtIn}
            </button>
          )}
          <Problem text={task.problem} />
        </Form>
      )}
    </Panel>
  )
}
