import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Choice, found, named } from '../logic/choice.ts'

type About = {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
  readonly readOnly?: boolean
}
type Chosen = {
  /** The code, or what was typed in its place. */
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onPick: (value: string) => void
}

const MAX_HEIGHT = 280
/** Of the list: the style sheets are loaded with the board, which has none. Above the bar of a phone. */
const LIST = { position: 'fixed', right: 'auto', zIndex: '4', gap: '0', padding: '0', overflowY: 'auto' } as const
const OPTION = { padding: 'var(--gap) 0.75rem', cursor: 'pointer' } as const

/**
 * One of many by its name: a text field with the list of what matches (ARIA combobox). The value is the code; anything
 * else that is typed stays as it is, and the service says what is wrong with it.
 */
export function Combo({ value, choices, onPick, readOnly = false, ...about }: Chosen & About) {
  const [typed, type] = useState<string | null>(null)
  const [isOpen, open] = useState(false)
  const [at, go] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const chosen = named(choices, value)
  const shown = found(choices, typed ?? '')
  const isShown = isOpen && shown.length > 0
  const close = (): void => {
    open(false)
    go(-1)
  }
  const pick = ({ code }: Choice): void => {
    type(null)
    close()
    onPick(code)
  }
  const move = (by: number): void => {
    open(true)
    const next = at < 0 && by < 0 ? shown.length - 1 : (at + by + shown.length) % shown.length
    go(isShown ? next : Math.max(0, shown.indexOf(chosen!)))
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ...(isShown && { Escape: close }),
    ...(isShown && at >= 0 && { Enter: () => pick(shown[at]!) }),
  }
  useLayoutEffect(() => {
    if (!isShown) return
    // Fixed: columns and scrolling areas around it would cut it.
    const place = (): void => {
      const { left, top, bottom, width } = input.current!.getBoundingClientRect()
      const below = innerHeight - bottom
      const isAbove = below < MAX_HEIGHT && top > below
      const { style } = list.current!
      style.left = `${left}px`
      style.width = `${width}px`
      style.top = isAbove ? 'auto' : `${bottom}px`
      style.bottom = isAbove ? `${innerHeight - top}px` : 'auto'
      style.maxHeight = `${Math.min(MAX_HEIGHT, (isAbove ? top : below) - 8)}px`
    }
    place()
    addEventListener('scroll', place, { capture: true, passive: true })
    addEventListener('resize', place)
    return () => {
      removeEventListener('scroll', place, { capture: true })
      removeEventListener('resize', place)
    }
  }, [isShown])
  useEffect(() => {
    if (isShown && at >= 0) list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [isShown, at])
  return (
    <div class="combo">
      <input
        {...about}
        ref={input}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isShown && at >= 0 ? `${listId}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        readOnly={readOnly}
        value={typed ?? chosen?.name ?? value}
        onClick={(event) => {
          if (readOnly || isShown) return
          // Typing begins anew.
          if (typed === null) event.currentTarget.select()
          open(true)
          go(typed === null && chosen !== undefined ? choices.indexOf(chosen) : -1)
        }}
        onInput={(event) => {
          const text = event.currentTarget.value
          type(text)
          open(true)
          go(text.trim() === '' ? -1 : 0)
          onPick(named(choices, text)?.code ?? text)
        }}
        onKeyDown={(event) => {
          const act = readOnly || event.altKey || event.ctrlKey || event.metaKey ? undefined : keys[event.key]
          if (act === undefined) return
          event.preventDefault()
          event.stopPropagation()
          act()
        }}
        onBlur={() => {
          // What can only be one is that one. Of several, none is guessed.
          if (typed !== null && typed.trim() !== '' && shown.length === 1) onPick(shown[0]!.code)
          type(null)
          close()
        }}
      />
      {isShown && (
        <div ref={list} id={listId} class="menu" style={LIST} role="listbox" aria-labelledby={`${about.id}-label`}>
          {shown.map((choice, n) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
            <div
              key={choice.code}
              id={`${listId}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === at}
              style={OPTION}
              onPointerMove={() => go(n)}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(choice)}
            >
              {choice.name}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}

/** The same with its label. `error`: why the value was refused. */
export function ComboField({
  label,
  hint,
  error,
  ...chosen
}: Chosen & { readonly label: string; readonly hint: string; readonly error?: string | undefined }) {
  const id = useId()
  return (
    <div class="field">
      <label id={`${id}-label`} for={id}>
        {label}
      </label>
      <Combo
        id={id}
        aria-describedby={error === undefined ? `${id}-hint` : `${id}-error ${id}-hint`}
        aria-invalid={error !== undefined}
        {...chosen}
      />
      {error !== undefined && (
        <small id={`${id}-error`} class="problem">
          {error}
        </small>
      )}
      <small id={`${id}-hint`} class="quiet">
        {hint}
      </small>
    </div>
  )
}
