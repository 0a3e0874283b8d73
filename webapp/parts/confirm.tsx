import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useModal } from '../../console/parts/blocks.tsx'
import { texts } from '../state/language.ts'

/** Asks before something that cannot be taken back, or that others notice. */
export function Confirm({
  title,
  children,
  yes,
  no = texts.value.cancel,
  onYes,
  onNo,
}: {
  readonly title: string
  readonly children?: ComponentChildren
  readonly yes: string
  readonly no?: string
  readonly onYes: () => void
  readonly onNo: () => void
}) {
  const dialog = useModal()
  const id = useId()
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onNo}>
      <h2 id={id}>{title}</h2>
      {children}
      <div class="actions">
        <button type="button" class="main" onClick={onYes}>
          {yes}
        </button>
        <button type="button" onClick={onNo}>
          {no}
        </button>
      </div>
    </dialog>
  )
}
