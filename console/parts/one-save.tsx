import { createContext } from 'preact'
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { allTexts } from '../state/language.ts'
import type { Children } from './blocks.tsx'
import { Unsaved } from './unsaved.tsx'

type Part = { readonly title: string; readonly save: () => Promise<unknown> }
type Saves = { readonly offer: (id: string, part: Part | null) => void }

const Saving = createContext<Saves | null>(null)

/**
 * One *Save* for every form of a page: it stays in sight while anything typed is not saved, and says where. Each form
 * still sends for itself, and shows refusals at its own fields.
 */
export function OneSave({ children }: Children) {
  const parts = useRef(new Map<string, Part>())
  const [titles, show] = useState('')
  const [busy, work] = useState(false)
  const saves = useRef<Saves>({
    offer(id, part) {
      if (part === null) parts.current.delete(id)
      else parts.current.set(id, part)
      show([...parts.current.values()].map(({ title }) => title).join(', '))
    },
  })
  const t = allTexts.value
  // One after the other: the first may ask for a proof. A refused field may be far from the button.
  const all = async (): Promise<void> => {
    // Forms without a button of their own: the browser points at the first invalid field.
    const forms = document.querySelectorAll<HTMLFormElement>('main form:not(:has(button[type=submit]))')
    if (![...forms].every((form) => form.reportValidity())) return
    work(true)
    for (const { save } of [...parts.current.values()]) await save()
    work(false)
    document.querySelector<HTMLElement>('main [aria-invalid=true]')?.focus()
  }
  return (
    <Saving.Provider value={saves.current}>
      {children}
      <Unsaved what={titles} />
      {titles !== '' && (
        <div class="one-save">
          <p>{t.labelled(t.notSavedYet, titles)}</p>
          <button type="button" class="main" disabled={busy} onClick={() => void all()}>
            {t.save}
          </button>
        </div>
      )}
    </Saving.Provider>
  )
}

/** Offers the changes of one form to the page's *Save*. Returns whether there is one: else the form has its own. */
export function useOneSave(title: string, isChanged: boolean, save: Part['save']): boolean {
  const saves = useContext(Saving)
  const id = useId()
  const newest = useRef(save)
  newest.current = save
  useEffect(() => {
    if (!isChanged) return
    saves?.offer(id, { title, save: () => newest.current() })
    return () => saves?.offer(id, null)
  }, [isChanged, title])
  return saves !== null
}
