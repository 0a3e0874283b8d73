import { useId, useRef } from 'preact/hooks'
import { languages, texts } from '../state/language.ts'
import { type Children, useModal } from './blocks.tsx'

export { Empty, Field, Form, Panel, Problem, Select, useModal } from './blocks.tsx'

/** Asks before an action that others notice. Opened by a click, so the browser may move the focus into it. */
export function Confirm({
  title,
  children,
  yes,
  busy,
  onYes,
  onNo,
}: Children & { title: string; yes: string; busy: boolean; onYes: () => void; onNo: () => void }) {
  const dialog = useModal()
  const id = useId()
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onNo}>
      <h2 id={id}>{title}</h2>
      {children}
      <div class="actions">
        <button type="button" class="main" disabled={busy} onClick={onYes}>
          {yes}
        </button>
        <button type="button" onClick={onNo}>
          {texts.value.cancel}
        </button>
      </div>
    </dialog>
  )
}

/** A language by its name in `within`, or in its own. The service accepts tags that no browser knows. */
export function languageName(code: string, within = code): string {
  try {
    return new Intl.DisplayNames([within], { type: 'language' }).of(code) ?? code
  } catch {
    return code
  }
}

/** The languages of the texts, each by its own name, and the one that is set already. */
export const languageNames = (present: string): readonly (readonly [string, string])[] =>
  [...new Set([...languages, present])].map((code) => [code, languageName(code)])

export function Copy({ text }: { readonly text: string }) {
  const t = texts.value
  const button = useRef<HTMLButtonElement>(null)
  // Browsers give it only to pages over https:// and of this machine.
  if (navigator.clipboard === undefined) return null
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    if (button.current !== null) button.current.textContent = t.copied
  }
  return (
    <button ref={button} type="button" class="small" onClick={() => void copy()}>
      {t.copy}
    </button>
  )
}
