import type { TextareaHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

type Texts = { readonly label: string; readonly hint?: string; readonly error?: string | undefined }

/** A field for a few lines. */
export function Area({ label, hint, error, ...input }: Texts & TextareaHTMLAttributes) {
  const id = useId()
  const described = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        aria-describedby={described.join(' ') || undefined}
        aria-invalid={error !== undefined}
        {...input}
      />
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
