import { type ComponentType, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../state/language.ts'
import { Empty, Problem } from './blocks.tsx'

/** Only from a service that answers: without it, the browser would show an error in the place of the board. */
const reload = (): void =>
  void fetch(location.pathname).then(
    ({ ok }) => ok && location.reload(),
    () => {},
  )

/**
 * A view, or a part of one, whose code is loaded when it is first shown: the board has to be there at once. After an
 * upgrade of the service its file is gone, so the page has to be loaded anew.
 */
export function onDemand<P extends object>(load: () => Promise<ComponentType<P>>, frame: 'main' | 'section' = 'main') {
  let found: ComponentType<P> | null = null
  return function OnDemand(props: P) {
    const [failed, fail] = useState(false)
    const [, render] = useState(0)
    useEffect(() => {
      if (found !== null) return
      let gone = false
      load().then(
        (loaded) => {
          found = loaded
          if (!gone) render(1)
        },
        () => !gone && fail(true),
      )
      return () => {
        gone = true
      }
    }, [])
    if (found !== null) return h(found, props)
    const t = texts.value
    return h(
      frame,
      {},
      failed ? (
        <>
          <Problem text={t.notLoaded} />
          <button type="button" onClick={reload}>
            {t.reload}
          </button>
        </>
      ) : (
        <Empty>{t.loading}</Empty>
      ),
    )
  }
}
