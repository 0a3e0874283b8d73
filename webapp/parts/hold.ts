import { useEffect, useRef } from 'preact/hooks'

type Listeners = {
  readonly onHeld: () => void
  /** It was released too early. */
  readonly onTap?: () => void
  readonly onChange?: (isDown: boolean) => void
}

/** The listeners of an element that is held, by finger, mouse or key. Screen readers only click: that is a tap. */
export function useHold(ms: number, { onHeld, onTap, onChange }: Listeners) {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const begin = (): void => {
    if (timer.current !== null) return
    onChange?.(true)
    timer.current = setTimeout(() => {
      timer.current = null
      onChange?.(false)
      onHeld()
    }, ms)
  }
  const end = (isTap: boolean): void => {
    if (timer.current === null) return
    clearTimeout(timer.current)
    timer.current = null
    onChange?.(false)
    if (isTap) onTap?.()
  }
  useEffect(() => () => clearTimeout(timer.current ?? undefined), [])
  const isKey = ({ key }: KeyboardEvent): boolean => key === 'Enter' || key === ' '
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      begin()
      // A finger that slides off is still holding.
      ;(event.currentTarget as Element).setPointerCapture(event.pointerId)
    },
    onPointerUp: () => end(true),
    onPointerCancel: () => end(false),
    onKeyDown(event: KeyboardEvent) {
      if (!isKey(event)) return
      event.preventDefault()
      if (!event.repeat) begin()
    },
    onKeyUp(event: KeyboardEvent) {
      if (!isKey(event)) return
      event.preventDefault()
      end(true)
    },
    onBlur: () => end(false),
    onClick(event: MouseEvent) {
      if (event.detail === 0) onTap?.()
    },
    onContextMenu: (event: Event) => event.preventDefault(),
  }
}
