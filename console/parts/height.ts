import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Keeps the height of an element as `name`, such as `--head`, for what sticks below it: warnings come and go. */
export function useHeightAs<T extends HTMLElement>(name: `--${string}`): RefObject<T | null> {
  const element = useRef<T>(null)
  useEffect(() => {
    if (element.current === null) return
    const watch = new ResizeObserver(([entry]) => {
      document.documentElement.style.setProperty(name, `${entry?.target.clientHeight ?? 0}px`)
    })
    watch.observe(element.current)
    return () => watch.disconnect()
  }, [])
  return element
}
