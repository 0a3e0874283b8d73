import { type ComponentType, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../state/language.ts'
import { Empty } from './blocks.tsx'

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
          <p class="problem" role="status">
            {t.notLoaded}
          </p>
          <button type="button" onClick={() => location.reload()}>
            {t.reload}
          </button>
        </>
      ) : (
        <Empty>{t.loading}</Empty>
      ),
    )
  }
}
