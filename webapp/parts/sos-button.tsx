import { useRef, useState } from 'preact/hooks'
import { areEnough, HOLD_MS, PRESSES, type Presses, pressedAt } from '../logic/gesture.ts'
import { texts } from '../state/language.ts'
import { useHold } from './hold.ts'

/** The SOS button: held for two seconds, or pressed three times, as screen readers can. */
export function useSos(onPress: () => void) {
  const presses = useRef<Presses>([])
  const [isDown, setDown] = useState(false)
  const [count, setCount] = useState(0)
  const fire = (): void => {
    presses.current = []
    setCount(0)
    onPress()
  }
  const listeners = useHold(HOLD_MS, {
    onHeld: fire,
    onTap() {
      presses.current = pressedAt(presses.current, performance.now())
      if (areEnough(presses.current)) fire()
      else setCount(presses.current.length)
    },
    onChange: setDown,
  })
  return { listeners, isDown, count }
}

/** The button. */
export function SosButton({ onPress, isPractice = false }: { onPress: () => void; isPractice?: boolean }) {
  const t = texts.value.sos
  const { listeners, isDown, count } = useSos(onPress)
  const left = PRESSES - count
  const hint = isDown ? t.holdOn : count === 0 ? t.how : left === 1 ? t.once : t.more(left)
  return (
    <div class="sos">
      <button type="button" class={`sos-button${isDown ? ' down' : ''}${isPractice ? ' practice' : ''}`} {...listeners}>
        {t.button}
        <span class="unseen">. {t.how}</span>
      </button>
      <p class="hint" aria-live="polite">
        {isPractice ? <strong>{t.practice}</strong> : null} <span>{hint}</span>
      </p>
    </div>
  )
}
