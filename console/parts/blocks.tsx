import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { keepFocus } from './focus.ts'

/** Blocks without words of their own: the app in the box has them, too. */

export type Children = { readonly children?: ComponentChildren }

/** The error of an action, shown beside it. Read out politely: the assertive region is for alarms. */
export const Problem = ({ text }: { readonly text: string | null }) => (
  <div class="problem" role="status">
    {text}
  </div>
)

type FieldTexts = {
  label: string
  hint?: string | undefined
  error?: string | undefined
  unit?: string | undefined
}

/** `error`: why its value was refused. `unit`: of the number in it. `rows`: for a few lines, so many of them shown. */
export function Field({
  label,
  hint,
  error,
  unit,
  ...input
}: FieldTexts & InputHTMLAttributes & { readonly rows?: number }) {
  const id = useId()
  // It takes the same attributes and tells the same events.
  const Control = (input.rows === undefined ? 'input' : 'textarea') as 'input'
  const described = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean)
  return (
    <div class="field">
      <label for={id}>
        {label}
        {unit !== undefined && <span class="unseen"> ({unit})</span>}
      </label>
      <span class={unit === undefined ? undefined : 'with-unit'} data-unit={unit}>
        <Control
          id={id}
          aria-describedby={described.length === 0 ? undefined : described.join(' ')}
          aria-invalid={error !== undefined}
          {...input}
        />
      </span>
      {error !== undefined && (
        <small id={`${id}-error`} class="problem">
          {error}
        </small>
      )}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
        </small>
      )}
    </div>
  )
}

export function Select({
  label,
  value,
  options,
  onPick,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onPick: (value: string) => void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A form that keeps its contents when it fails. */
export const Form = ({ onSend, children, class: name }: Children & { onSend: () => void; class?: string }) => (
  <form
    class={name}
    onSubmit={(event) => {
      event.preventDefault()
      onSend()
    }}
  >
    {children}
  </form>
)

/** A dialog over everything else. The focus returns to the element that had it, even if that was rendered anew. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null)
  // Before the next frame: once this is seen, no key may reach the elements below.
  useLayoutEffect(() => {
    const giveBack = keepFocus()
    dialog.current?.showModal()
    // Once it is gone from the page: until then nothing outside of it takes the focus.
    return () => queueMicrotask(giveBack)
  }, [])
  return dialog
}

export const Panel = ({ title, children, class: name = '' }: Children & { title: string; class?: string }) => {
  const id = useId()
  return (
    <section class={`panel ${name}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

export const Empty = ({ children }: Children) => <p class="empty">{children}</p>
