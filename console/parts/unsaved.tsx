import { useLayoutEffect, useState } from 'preact/hooks'
import { routeOf } from '../logic/route.ts'
import { unattended } from '../state/alarm.ts'
import { allTexts } from '../state/language.ts'
import { leaving } from '../state/leaving.ts'
import { Confirm } from './controls.tsx'

/** The way to an alarm is never held back. */
const isForAlarm = (hash: string): boolean =>
  unattended.peek() > 0 && ['board', 'incident', 'wall'].includes(routeOf(hash).view)

/** Asks before the page is left with something typed that is not saved. `what`: its name; empty: there is none. */
export function Unsaved({ what }: { readonly what: string }) {
  const [wanted, ask] = useState<string | null>(null)
  const t = allTexts.value
  // At once, so that nobody leaves unsaved changes unasked.
  useLayoutEffect(() => {
    if (what === '') return
    const closing = (event: Event): void => event.preventDefault()
    addEventListener('beforeunload', closing)
    leaving.held = (hash) => {
      if (isForAlarm(hash)) return false
      ask(hash)
      return true
    }
    return () => {
      removeEventListener('beforeunload', closing)
      leaving.held = null
    }
  }, [what === ''])
  if (wanted === null) return null
  return (
    <Confirm
      title={t.leave.title}
      yes={t.leave.yes}
      busy={false}
      onYes={() => {
        leaving.held = null
        location.hash = wanted
      }}
      onNo={() => ask(null)}
    >
      <p>{t.labelled(t.notSavedYet, what)}</p>
    </Confirm>
  )
}
